"""astedit: plan and apply for code.

Names load on first use, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astedit.agents.loop import Tools
    from astedit.api import (
        ast_edit,
        codemod,
        explain,
        languages,
        locate,
        rename,
        scan,
        search,
        set_path,
    )
    from astedit.engine.resident import Resident
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
        Finding,
        Language,
        Match,
        Plan,
        ScanResult,
        SearchResult,
        Skip,
    )
    from astedit.model.request import EditRequest, Op
    from astedit.staged import StagedPlan, StagedUndo
    from astedit.version import __version__
    from astedit.work import Work, open

_HOME = {
    "astedit.agents.loop": ("Tools",),
    "astedit.api": (
        "ast_edit",
        "codemod",
        "explain",
        "languages",
        "locate",
        "rename",
        "scan",
        "search",
        "set_path",
    ),
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
    "astedit.locating": ("LocateResult", "NodeRef"),
    "astedit.model.edit": ("Edit", "FilePlan"),
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
        "Skip",
    ),
    "astedit.model.request": ("EditRequest", "Op"),
    "astedit.staged": ("StagedPlan", "StagedUndo"),
    "astedit.version": ("__version__",),
    "astedit.work": ("Work", "open"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [  # noqa: RUF022
    "open", "Work", "StagedPlan", "StagedUndo", "Tools", "Resident",
    "ast_edit", "codemod", "explain", "languages", "locate", "rename", "scan", "search",
    "set_path",
    "AstEditError", "ConflictError", "LimitError", "OutsideRootError", "PreconditionError",
    "ProtectedPathError", "RequestError", "StaleError", "TransactionError",
    "Blocked", "Displaced", "DroppedComment", "Edit", "EditRequest", "Explanation", "FilePlan",
    "Finding", "Language", "LocateResult", "Match", "NodeRef", "Op", "Plan", "ScanResult",
    "SearchResult", "Skip",
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
