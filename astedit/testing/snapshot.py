"""Snapshots of tests, in ast-grep's format: one file a rule. (rule X1)

id: no-x
snapshots:
  x(1);:
    fixed: y(1);
    labels:
    - source: x(1)
      style: primary
      start: 0
      end: 4
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from astedit.errors import RequestError
from astedit.rule.project import read_file
from astedit.rule.yaml import read_yaml
from astedit.transaction.user_files import put
from astedit.workspace.root import Workspace

Snapshot = dict[str, Any]
_PLAIN = re.compile(r"[^\W\d](?:(?!: | #).)*(?<![ :])")
_IN_FLOW = frozenset(",[]{}")  # ast-grep writes no key with one of them plain
_WORDS = frozenset("true false null yes no on off y n".split())  # noqa: SIM905


def snapshot_path(directory: str, id: str) -> str:
    """Where the snapshot of a rule is; raises `RequestError` for an id that is not a name."""
    if "/" in id or "\0" in id or len(os.fsencode(id)) > 200:
        raise RequestError(
            f"The id {id!r} cannot be part of a file's name.",
            hint="A rule with snapshots needs an id without `/`.",
        )
    return f"{directory}/{id}-snapshot.yml"


def read_snapshots(workspace: Workspace, path: str) -> dict[str, Snapshot]:
    """The snapshots of a file by their code; empty without a file."""
    if not os.path.lexists(os.path.join(workspace.root, path)):
        return {}
    documents = read_yaml(read_file(workspace, path), path)
    found = documents[0].get("snapshots") if documents and isinstance(documents[0], dict) else None
    if not isinstance(found, dict) or not all(map(_is_snapshot, found.values())):
        raise RequestError(
            f"{path} is not a snapshot file.", path=path, hint="Remove it, and run with --update."
        )
    return found


def _is_snapshot(raw: Any) -> bool:
    labels = raw.get("labels") if isinstance(raw, dict) else None
    if not isinstance(labels, list) or not all(isinstance(one, dict) for one in labels):
        return False
    return raw.get("fixed") is None or isinstance(raw["fixed"], str)


def same(snapshot: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two snapshots agree. The order of labels means nothing: ast-grep's varies."""
    return snapshot.get("fixed") == other.get("fixed") and _labels(snapshot) == _labels(other)


def _labels(snapshot: Mapping[str, Any]) -> list[list[tuple[str, str]]]:
    labels = snapshot.get("labels") or []
    known = ("source", "message", "style", "start", "end")
    return sorted([(key, repr(one.get(key))) for key in known] for one in labels)


def write_snapshots(
    workspace: Workspace, path: str, id: str, snapshots: Mapping[str, Snapshot]
) -> None:
    """Writes a snapshot file, new or in the place of the one there is."""
    content = "\n".join(_file(id, snapshots)).encode() + b"\n"
    place = workspace.resolve(path)
    is_there = os.path.lexists(os.path.join(workspace.root, place))
    old = read_file(workspace, place) if is_there else None
    if old != content:
        put(workspace.fd, place, old, content)


def _file(id: str, snapshots: Mapping[str, Snapshot]) -> Iterator[str]:
    yield f"id: {scalar(id)}"
    yield "snapshots:"
    for code in sorted(snapshots):
        yield f"  {_quoted(code) if _IN_FLOW & set(code) else scalar(code)}:"
        yield from shown(snapshots[code], "    ")


def shown(snapshot: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """The lines of one snapshot."""
    if snapshot.get("fixed") is not None:
        yield from entry(f"{indent}fixed", snapshot["fixed"], indent)
    yield f"{indent}labels:" if snapshot["labels"] else f"{indent}labels: []"
    for label in snapshot["labels"]:
        lead = f"{indent}- "
        for key, value in label.items():
            yield from entry(f"{lead}{key}", value, f"{indent}  ")
            lead = f"{indent}  "


def entry(lead: str, value: Any, indent: str) -> Iterator[str]:
    """The lines of one YAML value behind its key, which stands at this indentation."""
    if not isinstance(value, str) or not (
        value.strip() != "" and "\n" in value and all(c == "\n" or c.isprintable() for c in value)
    ):
        yield f"{lead}: {scalar(value) if isinstance(value, str) else value}"
        return
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    hint = "2" if value[0] in " \n" else ""
    yield f"{lead}: |{hint}{chomping}"
    for line in [*body.split("\n"), *[""] * (ends - 1)]:
        yield f"{indent}  {line}"


def scalar(text: str) -> str:
    """Text as a YAML scalar on one line."""
    plain = _PLAIN.fullmatch(text) and text.isprintable() and text.lower() not in _WORDS
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    return known or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\U{ord(char):08x}")
