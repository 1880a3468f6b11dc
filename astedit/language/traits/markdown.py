"""Markdown."""

from astedit.language.facts import Facts
from astedit.language.traits import Traits

LANGUAGE = Traits(facts=Facts.of("", ""))
