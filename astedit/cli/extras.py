"""What commands need beside the core of astedit, and how it is had."""

from collections.abc import Iterator
from contextlib import contextmanager

from astedit.errors import PreconditionError


def how_to_have(extra: str) -> str:
    """How an extra is installed, from a checkout: the package is not published."""
    return f"Install it from a checkout of astedit: pip install '.[{extra}]'"


@contextmanager
def needing(extra: str, what: str, packages: tuple[str, ...]) -> Iterator[None]:
    """Says which extra is missing where one of its packages is not there to be imported.

    Raises `PreconditionError`, whose code is `no_` and the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in packages:
            raise
        message = f"{what} needs a package that is not installed."
        raise PreconditionError(message, code=f"no_{extra}", hint=how_to_have(extra)) from error
