"""A language's own compiler, where there is one to ask: it refuses more than the grammar."""

import re
from collections.abc import Callable
from typing import NamedTuple

# the error with which a piece of source is refused; None if it is accepted
CompilerCheck = Callable[[bytes], str | None]


class Compiler(NamedTuple):
    """How to ask about source text, and when a part of it is enough.

    `statements` looks at statements that were taken from their functions; it is quicker
    than `whole` and passes over what their surroundings decide. A template in which `wide`
    is found needs `whole`; so does one that adds what `flow` finds, which may stay where it is;
    and so does new text in which `spread` is, or in which `keyword` finds a name twice. A
    statement in which `bound` is found means nothing by itself.
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
    placeholder: bytes
    nest: bytes
