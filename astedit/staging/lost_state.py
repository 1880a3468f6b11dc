"""An interrupted apply of which the state file knows nothing: what people are told."""

from astedit.errors import RequestError
from astedit.transaction.leftovers import Leftover, find_leftovers
from astedit.transaction.recovery import listed
from astedit.workspace.root import Workspace
from resolve import StoreError
from resolve.storage.marker import interrupted

WAY_OUT = "A person ends it, every file wholly old or new: astedit recover --from-leftovers"
_WITH_IT = "With that file is lost what was staged, what files held before, and the log."
_LOST = ("store_lost", "store_damaged")


def explained(error: StoreError, root: str, state_file: str) -> StoreError:
    """The same error with what lies below the root, and how a person ends it.

    Any other error, and one of a state in which nothing was interrupted, stays as it is.
    """
    ids = _announced(state_file) if error.code in _LOST else None
    if ids is None:
        return error
    lines = [leftover.describe() for leftover in leftovers_below(root)]
    left = f"\nLeft beside the files:{listed(lines)}" if lines else "\nNothing is left of it."
    lost = "" if error.code == "store_lost" else f" An apply was interrupted ({ids}). {_WITH_IT}"
    return StoreError(f"{error.message}{lost}{left}", code=error.code, hint=WAY_OUT)


def leftovers_below(root: str) -> list[Leftover]:
    """What lies below the root; nothing where there is no such directory."""
    try:
        with Workspace(root) as workspace:
            return find_leftovers(workspace.fd)
    except RequestError:
        return []


def _announced(state_file: str) -> str | None:
    """The ids of interrupted applies; None if there is none, or the marker tells nothing."""
    try:
        return ", ".join(interrupted(state_file)) or None
    except StoreError:
        return None
