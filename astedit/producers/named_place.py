"""Where the name of a symbol is written, by the identifier that `locate` takes."""

import re

from astedit.errors import PreconditionError, RequestError
from astedit.locating import Inventory, NotLocated, find_in
from astedit.producers.lsp_positions import Positions
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace


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
    word = re.search(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)", raw[start:end])
    if word is None:
        raise PreconditionError(f"{node.id} does not say its name.", code="not_renamable")
    line, column = Positions(node.path, raw, "utf-32").position(start + word.start())
    return node.path, f"{line + 1}:{column + 1}"
