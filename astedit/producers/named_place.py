"""Where the name of a symbol is written, by the identifier that `locate` takes."""

import re

from astedit.engine.inline_limits import is_shallow
from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path, load
from astedit.limits import INLINE_SECONDS, parsing_within
from astedit.locating import Inventory, NotLocated, find_in
from astedit.producers.lsp_positions import Positions
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

_TOWARDS_THE_NAME = ("definition", "name", "declarator", "left")  # fields of definitions


def named_place(workspace: Workspace, identifier: str, config: Config | None) -> tuple[str, str]:
    """The file of a symbol, and `LINE:COL` of its name there, from 1.

    Raises `NotLocated` unless the identifier names one symbol.
    """
    result = find_in(Inventory(workspace, config=config), identifier, "symbol")
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    node = result.node
    if node is None:
        raise NotLocated(result)
    raw, _ = workspace.read(node.path, 1 << 30)
    name = node.id.partition("::")[2].partition("@")[0].rpartition(".")[2] or node.name
    start, end = node.span
    start = _own_name(node.path, raw, start, end) or start
    word = re.search(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)", raw[start:end])
    if word is None:
        raise PreconditionError(f"{node.id} does not say its name.", code="not_renamable")
    line, column = Positions(node.path, raw, "utf-32").position(start + word.start())
    return node.path, f"{line + 1}:{column + 1}"


def _own_name(path: str, raw: bytes, start: int, end: int) -> int | None:
    """Where the name of the definition at a range begins: behind its decorators and types."""
    row = for_path(path)
    if row is None or not is_shallow(raw):
        return None
    with parsing_within(INLINE_SECONDS):
        root = load(row).parser().parse(raw).root_node
    node = root.descendant_for_byte_range(start, end)
    if node is not None and node.start_byte < start:  # its decorators stand beside it
        node = next((each for each in node.children if start < each.end_byte == end), None)
    inner = node
    while inner is not None:
        node = inner
        inner = next(filter(None, map(node.child_by_field_name, _TOWARDS_THE_NAME)), None)
    return None if node is None else node.start_byte
