"""How an apply ended, and why it did not, as the gate has it."""

from collections.abc import Iterator
from contextlib import contextmanager

from astedit.errors import AstEditError
from astedit.limits import Cancelled
from astedit.transaction.recovery import Ended
from resolve import AbortError, AbortSignal, ToolError
from resolve.handlers import Recovered


def recovered(ended: Ended, more: str = "") -> Recovered:
    """The end of an interrupted transaction, as the gate records it; `more` is said behind."""
    return Recovered(ended.outcome, f"{ended.text()}{more}", ended.files())


@contextmanager
def translated(signal: AbortSignal | None = None) -> Iterator[None]:
    """Our errors as the gate's, so that they pass through it unchanged.

    Who aborts by the signal says why, and what that leaves.
    """
    try:
        yield
    except Cancelled as error:
        why = signal.reason if signal is not None else None
        raise AbortError(why or error.message) from error
    except AstEditError as error:
        raise ToolError(str(error), code=error.code, hint=error.hint) from error
