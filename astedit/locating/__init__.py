"""From a name to a place in the code: symbols, routes and clients.

It answers which node an identifier names, so that an edit can be aimed at it. It is not a
search, and it never guesses: of several nodes it lists all. Each name is loaded when it is
first used, so that a command can begin to list files before.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astedit.locating.answer import find as find
    from astedit.locating.answer import find_in as find_in
    from astedit.locating.inventory.inventory import Inventory as Inventory
    from astedit.locating.result import Candidate as Candidate
    from astedit.locating.result import LocateResult as LocateResult
    from astedit.locating.result import NodeRef as NodeRef
    from astedit.locating.result import NotLocated as NotLocated

_HOMES = {
    "answer": ("find", "find_in"),
    "result": ("Candidate", "LocateResult", "NodeRef", "NotLocated"),
    "inventory.inventory": ("Inventory",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'astedit.locating' has no attribute {name!r}")
    return getattr(import_module(f"astedit.locating.{_HOME[name]}"), name)
