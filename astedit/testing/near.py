"""Code close to what a rule reports: one token changed, outside of what is captured.

What the rule leaves alone then can go into `valid`; what it still reports shows that the
rule is looser than it looks.
"""

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from astedit.language import load
from astedit.testing.case import Test
from astedit.testing.snapshot import scalar
from astedit.testing.subject import Subject

MOST = 50  # variants of one code


def near_misses(test: Test, subject: Subject) -> Iterator[str]:
    """A `valid` list of what is not reported any more, and comments for the rest."""
    yield f"# {test.id}"
    yield "valid:"
    seen = set(test.valid)
    for code in test.invalid:
        for line, variant in variants(code.encode(), subject):
            text = variant.decode()
            if text in seen:
                continue
            seen.add(text)
            if not subject.findings(variant):
                yield f"- {scalar(text)}"
            else:
                yield f"# still reported, line {line} is changed:"
                yield from (f"#   {one}" for one in text.split("\n"))


def variants(code: bytes, subject: Subject) -> Iterator[tuple[int, bytes]]:
    """The code with one word of the first finding longer by a letter, each with its line."""
    findings = subject.findings(code)
    if not findings:
        return
    offsets = findings[0]["range"]["byteOffset"]
    captured = list(_captured(findings[0].get("metaVariables", {})))
    root = load(subject.row).parser().parse(code).root_node
    leaves = [leaf for leaf in _leaves(root) if _is_word(leaf)]
    inside = [
        x for x in leaves if offsets["start"] <= x.start_byte and x.end_byte <= offsets["end"]
    ]
    free = [x for x in inside if not any(low <= x.start_byte < high for low, high in captured)]
    for leaf in free[:MOST]:
        after = b"1" if (leaf.text or b"").isdigit() else b"x"
        variant = code[: leaf.end_byte] + after + code[leaf.end_byte :]
        if not load(subject.row).parser().parse(variant).root_node.has_error:
            yield leaf.start_point[0] + 1, variant


def _captured(variables: dict[str, Any]) -> Iterator[tuple[int, int]]:
    several = [one for group in variables.get("multi", {}).values() for one in group]
    for one in [*variables.get("single", {}).values(), *several]:
        yield one["range"]["byteOffset"]["start"], one["range"]["byteOffset"]["end"]


def _leaves(node: Node) -> Iterator[Node]:
    if not node.child_count:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _is_word(leaf: Node) -> bool:
    text = leaf.text or b""
    return leaf.is_named and text[-1:].isalnum()
