"""TypeScript without JSX."""

from astedit.language.brackets import words_of
from astedit.language.traits import javascript, tsx

_JSX = "an attribute of a JSX element | <a … />\n"
_BRACKETS = tsx.LANGUAGE.brackets
assert _BRACKETS is not None
_LESS = "binary_expression:<"  # the grammar takes `a < b` for the operand in `<T>a < b`

LANGUAGE = tsx.LANGUAGE._replace(
    contexts=tsx.LANGUAGE.contexts.replace(_JSX, ""),
    brackets=_BRACKETS._replace(
        kinds=_BRACKETS.kinds - {*javascript.JSX.split()} | {"type_assertion"},
        apart=words_of(tsx.APART | {_LESS: f"{tsx.APART[_LESS]} type_assertion"}),
        last=words_of(tsx.LAST),
        missed=_BRACKETS.missed | {_LESS},
        joined=(b"//",),
    ),
)
