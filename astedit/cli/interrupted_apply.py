"""An apply that was killed: one `stat` finds it, without the state file."""

import os

from astedit.cli.output import streams
from astedit.cli.place import Place
from astedit.errors import PreconditionError
from astedit.workspace.root import STATE_FILE


def error_in(place: Place, state: str | None) -> PreconditionError | None:
    """The error to tell if an apply was interrupted here; None too while one is running."""
    folder = place.state(state)
    if not os.path.lexists(os.path.join(folder, "intent")):
        return None
    from resolve.errors import StoreError
    from resolve.locks import ApplyLock
    from resolve.storage.marker import interrupted

    hold = ApplyLock(place.workspace.root).try_hold()
    if hold is None:
        return None
    hold.close()
    try:
        ids = ", ".join(interrupted(os.path.join(folder, STATE_FILE))) or "before it began"
    except StoreError as error:
        return PreconditionError(error.message, code="interrupted", hint=error.hint)
    return PreconditionError(
        f"An apply was interrupted ({ids}): run astedit recover.", code="interrupted"
    )


def tell(place: Place, state: str | None) -> None:
    """For commands that only read: what they show may be a mix."""
    error = error_in(place, state)
    if error is not None:
        streams.note(error.message)
