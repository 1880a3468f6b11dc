"""From a name to a place in the code: symbols, routes and clients.

It answers which node an identifier names, so that an edit can be aimed at it. It is not a
search, and it never guesses: of several nodes it lists all. Each name is loaded when it is
first used, so that a command can begin to list files before.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astedit.names.answer import find as find
    from astedit.names.answer import find_in as find_in
    from astedit.names.envelope import Candidate as Candidate
    from astedit.names.envelope import LocateResult as LocateResult
    from astedit.names.envelope import NodeRef as NodeRef
    from astedit.names.envelope import NotLocated as NotLocated
    from astedit.names.tree import Tree as Tree

_HOMES = {
    "answer": ("find", "find_in"),
    "envelope": ("Candidate", "LocateResult", "NodeRef", "NotLocated"),
    "tree": ("Tree",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'astedit.names' has no attribute {name!r}")
    return getattr(import_module(f"astedit.names.{_HOME[name]}"), name)
