"""YAML."""

from astedit.language.facts import Facts
from astedit.language.spelling import Spelling
from astedit.language.traits import Traits

LANGUAGE = Traits(
    facts=Facts.of("", "#"),
    spelling=Spelling(bodies=()),
)
