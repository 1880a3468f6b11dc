"""Names from one case to another: words, and how they are joined. (rule T5)"""

import re
from collections.abc import Collection, Iterator

SEPARATORS = {"dash": "-", "dot": ".", "slash": "/", "space": " ", "underscore": "_"}
CASE_CHANGE = "caseChange"
CASES = (
    *("lowerCase", "upperCase", "capitalize"),
    *("camelCase", "snakeCase", "kebabCase", "pascalCase"),
)


def convert(text: str, case: str, separators: Collection[str] | None) -> str:
    """The text in one of the `CASES`. Without `separators`, all of them part words."""
    if case in _OF_WHOLE:
        return _OF_WHOLE[case](text)
    parts = list(words(text, separators))
    if case == "pascalCase":
        return "".join(map(_capital, parts))
    if case == "camelCase":
        return "".join([*(one.lower() for one in parts[:1]), *map(_capital, parts[1:])])
    return ("_" if case == "snakeCase" else "-").join(one.lower() for one in parts)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


_OF_WHOLE = {"lowerCase": str.lower, "upperCase": str.upper, "capitalize": _capital}


def words(text: str, separators: Collection[str] | None = None) -> Iterator[str]:
    """The words of a name: `XMLHttpRequest_id` is XML, Http, Request, id."""
    wanted = (*SEPARATORS, CASE_CHANGE) if separators is None else separators
    marks = {SEPARATORS[name] for name in wanted if name in SEPARATORS}
    start = 0
    for at, char in enumerate(text):
        if char in marks:
            yield from (text[start:at],) if at > start else ()
            start = at + 1
        elif CASE_CHANGE in wanted:
            cut = _turn(text, start, at)
            if cut > start:
                yield text[start:cut]
                start = cut
    if start < len(text):
        yield text[start:]


def _turn(text: str, start: int, at: int) -> int:
    """The end of a word, if the case changes at `at`; else `start`."""
    if not (before := text[start:at]):
        return start
    if text[at].isupper() and before[-1].islower():
        return at
    is_word = text[at].islower() and not any(map(str.islower, before[-2:])) and len(before) > 1
    return at - 1 if is_word else start


QUOTES = ('"', "'", "`")
_ESCAPE = re.compile(r"\\.?", re.DOTALL)
_ESCAPED = {f"\\{sign}": sign for sign in (*QUOTES, "\\")} | {
    "\\n": "\n", "\\r": "\r", "\\t": "\t"
}  # fmt: skip


def quoted(text: str, mark: str) -> str:
    """`text` between marks; those in it, and backslashes, are escaped."""
    text = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    return mark + text.replace("\n", "\\n").replace("\r", "\\r") + mark


def unquoted(text: str) -> str:
    """What a simple literal says between its marks.

    A text that is no such literal stays as it is, and so does one with other escapes than those
    of marks, backslashes, tabs and ends of lines.
    """
    mark, inner = text[:1], text[1:-1]
    escapes = set(_ESCAPE.findall(inner))
    bare = _ESCAPE.sub("", inner)
    if len(text) < 2 or mark not in QUOTES or text[-1] != mark or escapes - _ESCAPED.keys():
        return text
    if mark in bare or "\n" in bare or (mark == "`" and "${" in bare):
        return text
    return _ESCAPE.sub(lambda escape: _ESCAPED[escape[0]], inner)
