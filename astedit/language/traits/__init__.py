"""What is known of a language beside its row of the table: loaded when it is needed.

A language of which words say all is an entry of `plain`. Each other one has a file in this
folder, named like the row, with one value `LANGUAGE`. A run imports the files of the languages
that it opens and no others.
"""

import functools
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from astedit.language.brackets import Brackets
from astedit.language.facts import Barred, Compiler, Facts, Naming, Spelling
from astedit.language.table import rows


# NamedTuples, and no frozen dataclasses: every start makes these classes, which takes 0.08 ms
# a class instead of 0.6 ms.
class Traits(NamedTuple):
    """What the engine, the doctor and the symbols need to know of one language.

    `facts`: what its nodes mean to an edit. `contexts`: where a piece of it may stand, one
    place a line. `spelling`: how the doctor may repair a pattern. `definitions`: how its
    symbols are found and named; None where they cannot be located. `brackets`: what groups
    an expression; None where nothing does. `barred`: what may not stand where, though the
    grammar takes it. `compiler`: who else is asked about source text.
    """

    facts: Facts
    contexts: str = ""
    spelling: Spelling = Spelling()
    definitions: Naming | None = None
    brackets: Brackets | None = None
    barred: Barred = Barred()
    compiler: Compiler | None = None


@functools.cache
def traits(language: str) -> Traits:
    """The traits of a language by its canonical name; KeyError for any other name."""
    if language not in {row.name for row in rows()}:
        raise KeyError(language)
    own = f"astedit.language.traits.{language}"
    if find_spec(own) is None:
        plain: dict[str, Traits] = import_module(f"{__name__}.plain").LANGUAGES
        return plain[language]
    value: Traits = import_module(own).LANGUAGE
    return value
