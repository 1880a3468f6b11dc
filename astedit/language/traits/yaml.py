"""YAML."""

from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

LANGUAGE = Traits(facts=Facts.of("", "#"), spelling=Spelling(bodies=()))
