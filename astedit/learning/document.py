"""A hypothesis as a document of the rule language, and as YAML text with its test beside it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tree_sitter import Node

from astedit.language import Row
from astedit.learning.difference import text_of
from astedit.learning.hypothesis import Hypothesis

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def documents(hypothesis: Hypothesis, row: Row, id: str) -> Iterator[dict[str, Any]]:
    """The rule of a hypothesis, spelled in every way in which its pattern may be read."""
    node = hypothesis.members[0].levels[hypothesis.level][0]
    rule: dict[str, Any] = {"pattern": hypothesis.pattern}
    if re.fullmatch(r"\$[A-Z]+", hypothesis.pattern):
        kinds = sorted({site.levels[hypothesis.level][0].type for site in hypothesis.members})
        rule |= {"any": [{"kind": kind} for kind in kinds]}
    elif "import" in (node.parent.type if node.parent else "") and not hypothesis.fix:
        yield _import_item(hypothesis, row, id, node)
        return
    elif not node.child_count:
        rule = {"kind": node.type, "regex": f"^{re.escape(hypothesis.pattern)}$"}
        yield _document(hypothesis, row, id, rule)
        return
    yield _document(hypothesis, row, id, rule)
    for around, _ in hypothesis.members[0].levels[hypothesis.level + 1 :]:
        source, start = text_of(around), around.start_byte
        head = source[: node.start_byte - start].decode("utf-8", "replace")
        tail = source[node.end_byte - start :].decode("utf-8", "replace")
        context = {"context": head + hypothesis.pattern + tail, "selector": node.type}
        yield _document(hypothesis, row, id, {"pattern": context})


def _import_item(hypothesis: Hypothesis, row: Row, id: str, item: Node) -> dict[str, Any]:
    """The rule for one name of an import: it goes, and another import comes."""
    line = item.parent
    module = line.child_by_field_name("module_name") if line is not None else None
    inside: dict[str, Any] = {"kind": line.type if line is not None else ""}
    if module is not None:
        inside["has"] = {"field": "module_name", "regex": f"^{re.escape(_text(module))}$"}
    rule = {"kind": item.type, "regex": f"^{re.escape(_text(item))}$", "inside": inside}
    return _document(hypothesis, row, id, rule) | {"fix": {"delete": "item"}}


def _text(node: Node) -> str:
    return text_of(node).decode("utf-8", "replace")


def _document(hypothesis: Hypothesis, row: Row, id: str, rule: Mapping[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = {"id": id, "language": row.label, "rule": dict(rule)}
    if hypothesis.transforms:
        document["transform"] = hypothesis.transforms
    constraints = {name: {"resolvesTo": text} for name, text in hypothesis.resolved.items()}
    for name, (head, tail) in hypothesis.ends.items():
        constraints[name] = {"regex": f"(?s)^{re.escape(head)}.*{re.escape(tail)}$"}
    if constraints:
        document["constraints"] = constraints
    document["fix"] = hypothesis.fix
    if hypothesis.imports:
        document["imports"] = hypothesis.imports
    return document


def name_of(hypothesis: Hypothesis, taken: Iterable[str]) -> str:
    """An id for a rule: what goes, and what comes."""
    words = [_WORD.findall(text) for text in (hypothesis.pattern, hypothesis.fix)]
    gone = [word for word in words[0] if word not in words[1] and len(word) > 1]
    come = [word for word in words[1] if word not in words[0] and len(word) > 1]
    parts = (gone or words[0])[:2] + (["to", *come[:2]] if come else ["less"] if gone else [])
    name = "-".join(part.lower() for part in parts if part)[:60] or "learned"
    number, found = 2, name
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def yaml_of(document: Mapping[str, Any], comments: Sequence[str]) -> str:
    """The rule as YAML, behind what it does in words."""
    lines = [f"# {_plain(line)}" for line in comments]
    return "\n".join([*lines, *_lines(document, "")]) + "\n"


def test_of(id: str, valid: Iterable[str], invalid: Iterable[str]) -> str:
    """The test of a rule: what it leaves alone, and what it reports."""
    document = {"id": id, "valid": _once(valid), "invalid": _once(invalid)}
    return "\n".join(_lines(document, "")) + "\n"


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _lines(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, each in value.items():
        yield from _entry(f"{indent}{key}", each, indent)


def _entry(lead: str, value: Any, indent: str) -> Iterator[str]:
    from astedit.testing.snapshot import entry

    if isinstance(value, Mapping) and value:
        yield f"{lead}:"
        yield from _lines(value, f"{indent}  ")
    elif isinstance(value, list) and value:
        yield f"{lead}:"
        for each in value:
            yield from _listed(each, indent)
    elif isinstance(value, list | Mapping):
        yield f"{lead}: {'[]' if isinstance(value, list) else '{}'}"
    else:
        yield from entry(lead, value, indent)


def _listed(value: Any, indent: str) -> Iterator[str]:
    from astedit.testing.snapshot import entry

    if isinstance(value, Mapping):
        lines = list(_lines(value, f"{indent}  "))
        yield f"{indent}- {lines[0].lstrip()}"
        yield from lines[1:]
        return
    first, *rest = entry("", value, indent)
    yield f"{indent}- {first[2:]}"
    yield from rest
