"""What an editor shows in a rule file: the keys and names that fit, and how a pattern is read."""

import re
from collections.abc import Iterable, Iterator

from astedit.errors import AstEditError
from astedit.explanation.reading import ExplainedFile, explain_in
from astedit.language import Row, load, named, rows
from astedit.model.request import STRICTNESS
from astedit.rule.document import KEYS, SEVERITIES
from astedit.rule.schema import rule_schema
from astedit.rule.yaml import read_yaml

_LANGUAGE = re.compile(r"^language:[ \t]*['\"]?([\w+#-]+)", re.MULTILINE)
_VALUE = re.compile(r"[\s-]*(\w+):[ \t]*['\"]?(\S*)$")
_KEY = re.compile(r"([\s-]*)\w*$")
_PATTERN = re.compile(r"[\s-]*(pattern|context):[ \t]*(.+)$")


def language_at(text: str, line: int) -> Row | None:
    """The language of the rule around a line: of several documents that of its own."""
    lines = text.split("\n")
    start = max((at for at in range(min(line, len(lines))) if lines[at] == "---"), default=0)
    found = _LANGUAGE.search("\n".join(lines[start:]))
    return None if found is None else named(found[1])


def completions(text: str, before: str, utilities: Iterable[str]) -> Iterator[str]:
    """What may stand in a text after what is `before`."""
    *above, before = before.split("\n")
    value, row = _VALUE.match(before), language_at(text, len(above))
    if value is not None:
        yield from _values(value[1], row, utilities)
        return
    if (key := _KEY.match(before)) is None:
        return
    if not key[1]:
        yield from KEYS
        return
    definitions = rule_schema()["$defs"]
    yield from dict.fromkeys(
        (*definitions["relation"]["properties"], *definitions["fix"]["properties"])
    )


def _values(key: str, row: Row | None, utilities: Iterable[str]) -> Iterator[str]:
    fixed = {
        "severity": SEVERITIES,
        "strictness": STRICTNESS,
        "stopBy": ("neighbor", "end"),
        "when": ("always", "triggered"),
    }
    if key == "language":
        yield from (one.label for one in rows())
    elif key == "matches":
        yield from utilities
    elif key in ("kind", "selector", "field") and row is not None:
        language = load(row).language
        if key == "field":
            names = (language.field_name_for_id(id + 1) for id in range(language.field_count))
            yield from sorted(name for name in names if name)
        else:
            kinds = (language.node_kind_for_id(id) for id in range(language.node_kind_count))
            named_ones = (kind for kind in kinds if kind and kind.isidentifier())
            yield from sorted({kind for kind in named_ones if not kind.startswith("_")})
    else:
        yield from fixed.get(key, ())


def hover(text: str, line: int, beside: ExplainedFile | None) -> str | None:
    """How the pattern of a line is read, and what of the file `beside` almost matches it."""
    lines = text.split("\n")
    found = _PATTERN.match(lines[line]) if line < len(lines) else None
    row = language_at(text, line)
    if found is None or row is None:
        return None
    try:
        (pattern,) = read_yaml(found[2].encode())
        explanation = explain_in(str(pattern), [row], place=beside)
    except (AstEditError, ValueError):
        return None
    said = [f"- {warning.message}" for warning in explanation.warnings]
    said += [f"- {suggestion.message}" for suggestion in explanation.suggestions]
    return "\n".join([f"```\n{explanation.tree.rstrip()}\n```", *said])
