"""The error family: what went wrong, where, and what to do next.

Three kinds, because three different people can act: `RequestError` is wrong whatever
the tree holds (the caller changes the request), `PreconditionError` is a good request
that this tree or this moment does not allow (the caller looks again), `LimitError` is a
budget that ran out (the caller raises it or asks for less). `TransactionError` alone
means that writing had begun; its message says what state the disk is in.
"""

from resolve.visible import one_line


class AstEditError(Exception):
    """Base of every error astedit raises on purpose.

    Attributes: `message` (one sentence), `hint` (what to do next, or None), `path`
    (relative to the root, or None), `code` (stable, snake_case), `exit_code` (the
    command line's exit status for this kind).
    """

    code = "error"
    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        path: str | None = None,
        code: str | None = None,
    ) -> None:
        if path is not None and not path.isprintable():  # else it could begin a line of ours
            message = message.replace(path, one_line(path))
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        if code is not None:
            self.code = code


class RequestError(AstEditError):
    """The request is wrong whatever the tree holds."""

    code = "bad_request"
    exit_code = 2


def not_unicode(error: UnicodeEncodeError) -> RequestError:
    """What is wrong with a text that could not be encoded; bytes are surrogates in an argument."""
    text = error.object[max(error.start - 20, 0) : error.start + 20]
    hint = "Give text that is UTF-8, and check the locale."
    return RequestError(f"This text is not Unicode: {text!a}.", code="not_unicode", hint=hint)


class PreconditionError(AstEditError):
    """The request is well-formed, but this tree or this moment does not allow it."""

    code = "precondition"
    exit_code = 3


class StaleError(PreconditionError):
    """The tree changed since the preview; nothing was written."""

    code = "stale"


class ConflictError(PreconditionError):
    """Two edits claim the same bytes and the request asked for an error."""

    code = "conflict"


class ProtectedPathError(PreconditionError):
    """Policy forbids editing this path."""

    code = "protected"


class OutsideRootError(PreconditionError):
    """A path leaves the workspace root."""

    code = "outside_root"


class LimitError(AstEditError):
    """A budget (files, replacements, time, size) ran out; nothing was staged.

    `plan` holds what was found before the limit, when there is something to show.
    """

    code = "limit"
    exit_code = 4
    plan: object | None = None


class TransactionError(AstEditError):
    """Writing had begun and could not finish; the message says what is on disk."""

    code = "transaction"
    exit_code = 5
