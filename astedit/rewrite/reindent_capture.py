"""The later lines of a capture are indented for the place where the capture is written. (F7)"""

from collections.abc import Sequence

from tree_sitter import Node

from astedit.text.indent import Text, leading, shift


def reindent_capture(text: Text, nodes: Sequence[Node], source: bytes, indent: bytes) -> Text:
    """The text of captured nodes, moved to a line of the indentation `indent`.

    Its first line is written where the capture stands in the template. Lines that begin
    inside a literal stay as they are.
    """
    return shift(text, indent_of(nodes, source), indent) if b"\n" in text.data else text


def indent_of(nodes: Sequence[Node], source: bytes) -> bytes:
    """Of the line a capture begins on; not that of `if x:  # why`, whose body is deeper."""
    first = nodes[0]
    own = leading(source, first.start_byte)
    if not first.is_extra or len(own) == first.start_point[1]:
        return own
    line = source[first.start_byte - first.start_point[1] : first.start_byte]
    if line.rstrip().endswith((b"(", b"[")):
        return own  # of `f(  # why` too, which arguments follow
    later = (node for node in nodes if node.start_point[0] > first.start_point[0])
    following = next(later, None)
    return own if following is None else leading(source, following.start_byte)
