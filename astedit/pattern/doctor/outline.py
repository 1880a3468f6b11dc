"""Trees as text for people: a compiled pattern with its holes, a file's nodes at a line."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.pattern.compile import Goal, Tag

LINES = 120  # of one outline; the rest is counted, not shown
_TEXT = 60  # characters of a leaf's text


def outline_goal(goal: Goal) -> str:
    """A pattern's tree, one goal a line: holes as written, leaves with their text."""
    return _bounded(_goal_lines(goal, 0))


def outline_line(root: Node, line: int) -> str:
    """The largest nodes that start on a line (1-based), with all that is in them."""
    lines: list[str] = []
    for node in _starting(root, line - 1):
        lines.extend(_node_lines(node))
    return _bounded(iter(lines))


def clip(text: bytes, width: int = _TEXT) -> str:
    """Text on one line, at most `width` characters of it."""
    shown = " ".join(text[: width * 8].decode("utf-8", "replace").split())
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def _goal_lines(goal: Goal, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if goal.hole is not None:
        yield f"{indent}{goal.hole.spelling}  ({_meaning(goal)})"
    elif goal.tag == Tag.TERMINAL:
        yield indent + (f"{goal.kind_name} " if goal.named else "") + f'"{clip(goal.text)}"'
    else:
        yield indent + goal.kind_name
    for child in goal.children:
        yield from _goal_lines(child, depth + 1)


def _meaning(goal: Goal) -> str:
    assert goal.hole is not None
    if goal.hole.many:
        return "any number of nodes"
    return "one named node" if goal.hole.named_only else "one node"


def _starting(root: Node, row: int) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_point[0] < row or node.start_point[0] > row:
            continue
        if node.start_point[0] == row and node.parent is not None and node.is_named:
            yield node
        else:
            stack.extend(reversed(node.children))


def _node_lines(top: Node) -> Iterator[str]:
    stack: list[tuple[Node, int, str]] = [(top, 0, "")]
    while stack:
        node, depth, name = stack.pop()
        text = "" if node.child_count else f'"{clip(node.text or b"")}"'
        kind = f"{node.type} " if node.is_named or node.is_missing else ""
        missing = "MISSING " if node.is_missing else ""
        yield ("  " * depth + (f"{name}: " if name else "") + missing + kind + text).rstrip()
        for index in reversed(range(node.child_count)):
            child = node.child(index)
            if child is not None:
                stack.append((child, depth + 1, node.field_name_for_child(index) or ""))


def _bounded(lines: Iterator[str]) -> str:
    shown = [line for _, line in zip(range(LINES), lines, strict=False)]
    rest = sum(1 for _ in lines)
    return "\n".join([*shown, f"… {rest} more lines"] if rest else shown)
