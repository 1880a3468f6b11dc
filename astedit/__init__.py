"""astedit: plan and apply for code.

Names load on first use, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astedit.api import ast_edit, explain, languages, locate, rename, search, set_path
    from astedit.errors import (
        AstEditError,
        ConflictError,
        LimitError,
        OutsideRootError,
        PreconditionError,
        ProtectedPathError,
        RequestError,
        StaleError,
        TransactionError,
    )
    from astedit.locating import LocateResult, NodeRef
    from astedit.model.edit import Edit, FilePlan
    from astedit.model.explanation import Explanation
    from astedit.model.plan import (
        Blocked,
        Displaced,
        DroppedComment,
        Language,
        Match,
        Plan,
        SearchResult,
        Skip,
    )
    from astedit.model.request import EditRequest, Op
    from astedit.version import __version__

_HOME = {
    "astedit.api": ("ast_edit", "explain", "languages", "locate", "rename", "search", "set_path"),
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
    "astedit.locating": ("LocateResult", "NodeRef"),
    "astedit.model.edit": ("Edit", "FilePlan"),
    "astedit.model.explanation": ("Explanation",),
    "astedit.model.plan": (
        "Blocked",
        "Displaced",
        "DroppedComment",
        "Language",
        "Match",
        "Plan",
        "SearchResult",
        "Skip",
    ),
    "astedit.model.request": ("EditRequest", "Op"),
    "astedit.version": ("__version__",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [  # noqa: RUF022
    "ast_edit", "explain", "languages", "locate", "rename", "search", "set_path",
    "AstEditError", "ConflictError", "LimitError", "OutsideRootError", "PreconditionError",
    "ProtectedPathError", "RequestError", "StaleError", "TransactionError",
    "Blocked", "Displaced", "DroppedComment", "Edit", "EditRequest", "Explanation", "FilePlan",
    "Language", "LocateResult", "Match", "NodeRef", "Op", "Plan", "SearchResult", "Skip",
    "__version__",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module 'astedit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
