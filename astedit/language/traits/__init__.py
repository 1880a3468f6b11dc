"""What is known of a language beside its row of the table: loaded when it is needed.

A language of which words say all is an entry of `plain`. Each other one has a file in this
folder, named like the row, with one value `LANGUAGE`. A run imports the files of the languages
that it opens and no others.
"""

import functools
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from astedit.language.brackets import Brackets
from astedit.language.facts import Barred, Facts, Naming, Spelling
from astedit.language.table import rows

# the error with which a piece of source is refused; None if it is accepted
CompilerCheck = Callable[[bytes], str | None]


class Compiler(NamedTuple):
    """How to ask about source text, and when a part of it is enough.

    `statements` looks at statements that were taken from their functions; it is quicker
    than `whole` and passes over what their surroundings decide. A template in which `wide`
    is found needs `whole`; so does one that adds what `flow` finds, which may stay where it is;
    and so does new text in which `spread` is, or in which `keyword` finds a name twice. A
    statement in which `bound` is found means nothing by itself, and one of a text in which
    `distant` stands may mean something to another. Where a node of a kind in `plain`
    gives way to another, the grammar alone says what is right, if no code in a string is near.
    `placeholder` is a statement that stands for any body, `nest` what an indented one follows.
    """

    name: str
    version: str
    statements: CompilerCheck
    whole: CompilerCheck
    wide: re.Pattern[bytes]
    flow: re.Pattern[bytes]
    spread: re.Pattern[bytes]
    keyword: re.Pattern[bytes]
    bound: re.Pattern[bytes]
    distant: bytes
    plain: frozenset[str]
    placeholder: bytes
    nest: bytes


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
