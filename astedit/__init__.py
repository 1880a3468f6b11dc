"""astedit: plan and apply for code.

Names load on first use, so that importing the package costs nothing.
"""

import os

TYPE_CHECKING = False  # `typing` costs as much as all else of a hook's client
if TYPE_CHECKING:
    from typing import Any

    from astedit.agents.loop import Tools as Tools
    from astedit.engine.resident import Resident as Resident
    from astedit.errors import AstEditError as AstEditError
    from astedit.errors import ConflictError as ConflictError
    from astedit.errors import LimitError as LimitError
    from astedit.errors import OutsideRootError as OutsideRootError
    from astedit.errors import PreconditionError as PreconditionError
    from astedit.errors import ProtectedPathError as ProtectedPathError
    from astedit.errors import RequestError as RequestError
    from astedit.errors import StaleError as StaleError
    from astedit.errors import TransactionError as TransactionError
    from astedit.interface.functions import ast_edit as ast_edit
    from astedit.interface.functions import explain as explain
    from astedit.interface.functions import languages as languages
    from astedit.interface.functions import locate as locate
    from astedit.interface.functions import scan as scan
    from astedit.interface.functions import search as search
    from astedit.interface.operations import codemod as codemod
    from astedit.interface.operations import extract as extract
    from astedit.interface.operations import inline as inline
    from astedit.interface.operations import move as move
    from astedit.interface.operations import move_module as move_module
    from astedit.interface.operations import remove as remove
    from astedit.interface.operations import rename as rename
    from astedit.interface.operations import set_path as set_path
    from astedit.interface.operations import signature as signature
    from astedit.interface.work import StagedPlan as StagedPlan
    from astedit.interface.work import StagedUndo as StagedUndo
    from astedit.interface.work import Work as Work
    from astedit.interface.work import open as open
    from astedit.locating.result import LocateResult as LocateResult
    from astedit.locating.result import NodeRef as NodeRef
    from astedit.model.edit import Edit as Edit
    from astedit.model.edit import FilePlan as FilePlan
    from astedit.model.edit import Skip as Skip
    from astedit.model.explanation import Explanation as Explanation
    from astedit.model.plan import Blocked as Blocked
    from astedit.model.plan import Displaced as Displaced
    from astedit.model.plan import DroppedComment as DroppedComment
    from astedit.model.plan import Finding as Finding
    from astedit.model.plan import Language as Language
    from astedit.model.plan import Match as Match
    from astedit.model.plan import Plan as Plan
    from astedit.model.plan import ScanResult as ScanResult
    from astedit.model.plan import SearchResult as SearchResult
    from astedit.model.request import EditRequest as EditRequest
    from astedit.model.request import Op as Op
    from astedit.version import __version__ as __version__

_HOME = {
    "astedit.agents.loop": ("Tools",),
    "astedit.interface.functions": ("ast_edit", "explain", "languages", "locate", "scan", "search"),
    "astedit.engine.resident": ("Resident",),
    "astedit.errors": (
        "AstEditError",
        "ConflictError",
        "LimitError",
        "OutsideRootError",
        "PreconditionError",
        "ProtectedPathError",
        "RequestError",
        "StaleError",
        "TransactionError",
    ),
    "astedit.locating.result": ("LocateResult", "NodeRef"),
    "astedit.model.edit": ("Edit", "FilePlan", "Skip"),
    "astedit.model.explanation": ("Explanation",),
    "astedit.model.plan": (
        "Blocked",
        "Displaced",
        "DroppedComment",
        "Finding",
        "Language",
        "Match",
        "Plan",
        "ScanResult",
        "SearchResult",
    ),
    "astedit.model.request": ("EditRequest", "Op"),
    "astedit.version": ("__version__",),
    "astedit.interface.work": ("StagedPlan", "StagedUndo", "Work", "open"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> "Any":
    if name == "__all__":
        return __dir__()
    module = _MODULE.get(name)
    if module is None and os.path.isfile(f"{os.path.dirname(__file__)}/operations/{name}.py"):
        module = "astedit.interface.operations"  # each operation has a function
    if module is None:
        raise AttributeError(f"module 'astedit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    from astedit.operations import kinds

    return sorted((*_MODULE, *kinds()))
