"""TypeScript without JSX."""

from astedit.language.brackets import Brackets
from astedit.language.traits import javascript, tsx

_JSX = "an attribute of a JSX element | <a … />\n"
_LESS = "binary_expression:<"  # the grammar takes `a < b` for the operand in `<T>a < b`

LANGUAGE = tsx.LANGUAGE._replace(
    contexts=tsx.LANGUAGE.contexts.replace(_JSX, ""),
    brackets=Brackets.around(
        javascript.GROUPED + " type_assertion",
        tsx.APART | {_LESS: "type_assertion"},
        tsx.FIRST,
        javascript.MISREAD,
        last=tsx.LAST,
        loose=tsx.LOOSE,
        missed=f"{tsx.MISSED} {_LESS}",
        joined="//",
        lacking=javascript.lacks_brackets,
        elsewhere=javascript.ELSEWHERE,
        operations=tsx.OPERATIONS,
        postfix=tsx.POSTFIX,
    ),
)
