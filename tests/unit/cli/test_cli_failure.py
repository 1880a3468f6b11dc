"""Every kind of error has its exit code and its document."""

import json

import click
import pytest

from astedit.cli.output import failure
from astedit.errors import (
    AstEditError,
    LimitError,
    OutsideRootError,
    PreconditionError,
    RequestError,
    StaleError,
    TransactionError,
)
from astedit.limits import Cancelled
from resolve import StoreError, ToolError
from resolve.errors import AbortError


@pytest.mark.parametrize(
    "error, code",
    [
        (RequestError("x"), 2),
        (click.UsageError("x"), 2),
        (ToolError("x", code="invalid"), 2),
        (PreconditionError("x"), 3),
        (StaleError("x"), 3),
        (OutsideRootError("x"), 3),
        (ToolError("x", code="stale"), 3),
        (ToolError("x", code="nothing_pending"), 3),
        (ToolError("x", code="already_resolved"), 3),
        (LimitError("x"), 4),
        (ToolError("x", code="too_large"), 4),
        (TransactionError("x"), 5),
        (ToolError("Apply failed: x"), 5),
        (StoreError("x", code="store_locked"), 5),
        (OSError(28, "No space left on device"), 5),
        (ZeroDivisionError("x"), 5),
        (KeyboardInterrupt(), 130),
        (Cancelled("x"), 130),
        (AbortError("x"), 130),
    ],
)
def test_exit_codes(error: BaseException, code: int) -> None:
    assert failure.exit_code(error) == code


@pytest.mark.parametrize(
    "cause, code",
    [
        (TransactionError("x", code="no_space"), 5),
        (RequestError("x", code="unknown_edit"), 2),
        (LimitError("x", code="incomplete"), 4),
        (StaleError("x"), 3),
    ],
)
def test_an_error_of_ours_keeps_its_kind_and_path_through_the_gate(
    cause: AstEditError, code: int
) -> None:
    cause.path = "a.py"
    error = ToolError("x", code=cause.code)
    error.__cause__ = cause
    assert failure.exit_code(error) == code
    assert failure.described(error)["path"] == "a.py"


def test_the_document_has_exactly_the_four_fields(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    failure.report(RequestError("no", hint="do", path="a.py", code="odd"), as_json=True)
    out, err = capsysbinary.readouterr()
    fields = {"code": "odd", "message": "no", "hint": "do", "path": "a.py"}
    assert json.loads(out) == {"error": fields}
    assert err == b""


def test_text_goes_to_stderr_with_nothing_hidden(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    failure.report(ToolError("bad \x1b[31m name", hint="look"), as_json=False)
    out, err = capsysbinary.readouterr()
    assert (out, err) == (b"", b"error: bad \\x1b[31m name\nhint: look\n")


def test_an_error_of_the_system_names_the_file() -> None:
    fields = failure.described(FileNotFoundError(2, "No such file", "x.py"))
    assert (fields["message"], fields["path"]) == ("x.py: No such file", "x.py")
