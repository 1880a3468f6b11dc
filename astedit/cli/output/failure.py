"""Errors become exit codes, and one JSON document or two lines of text; what extras lack."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from astedit.cli.output import streams
from astedit.errors import AstEditError, PreconditionError
from astedit.text import meant
from resolve.visible import one_line

_OF_GATE = {"invalid": 2, "too_large": 4, "error": 5}  # what its own codes mean; others 3
_OF_PLACES = frozenset({"store_unwritable", "store_locked", "store_newer"})
_ELSEWHERE = "`--state-dir DIR` names one."
_PRINTED = "Only the printing failed; `astedit pending` and `astedit log` show what is done."
_NO_CHOICE = re.compile(r"'([^']*)' is not one of")
_HABITS = {"--dry-run": "--no-stage", "-U": "--yes", "--update-all": "--yes"}  # of other tools
_OF_FILES = frozenset({"bad_rule", "bad_yaml", "error_pattern", "grammar_unavailable"})


def exit_code(error: BaseException) -> int:
    """2 bad request, 3 precondition, 4 limit, 5 could not finish, 130 interrupted."""
    if (ours := _ours(error)) is not None:
        return ours.exit_code
    if isinstance(error, click.ClickException):
        return 2
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return 130
    from resolve.errors import AbortError, StoreError, ToolError

    if isinstance(error, AbortError):
        return 130
    if not isinstance(error, ToolError) or isinstance(error, StoreError):
        return 5
    return _OF_GATE.get(error.code, 3)


def described(error: BaseException) -> dict[str, Any]:
    """The error as `{"code", "message", "hint", "path"}`."""
    if isinstance(error, click.ClickException):
        return _usage(error)
    if exit_code(error) == 130:
        return _fields("interrupted", getattr(error, "reason", None) or "Interrupted.")
    if isinstance(error, OSError):
        hint = _PRINTED if error.filename == streams.STDOUT else None
        reason, name = error.strerror or str(error), _name(error)
        return _fields("io", f"{name}: {reason}" if name else f"{reason}.", hint, name)
    code = getattr(error, "code", "internal")
    message = str(error) or type(error).__name__
    return _fields(code, message, _hint(error, code), getattr(_ours(error), "path", None))


def _hint(error: BaseException, code: str) -> str | None:
    hint: str | None = getattr(error, "hint", None)
    return f"{hint} {_ELSEWHERE}" if hint and code in _OF_PLACES else hint


def _ours(error: BaseException | None) -> AstEditError | None:
    """The engine's error; one that passed through the gate is the cause of the gate's."""
    if isinstance(error, AstEditError):
        return error
    cause = error.__cause__ if error is not None else None
    return cause if isinstance(cause, AstEditError) else None


def report(error: BaseException, *, as_json: bool) -> None:
    """Tells the caller: on stdout as one document with `--json`, else on stderr."""
    fields = described(error)
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        streams.note(fields["message"])
        return
    if as_json:
        streams.document({"error": fields})
        return
    streams.note(f"error: {_place(fields)}{fields['message']}")
    if fields["hint"]:
        streams.note(f"hint: {fields['hint']}")


def _place(fields: dict[str, Any]) -> str:
    """The file that is wrong, for those whose messages speak of what is in it."""
    path = fields["path"]
    return f"{one_line(path)}: " if path and fields["code"] in _OF_FILES else ""


def _usage(error: click.ClickException) -> dict[str, Any]:
    context = getattr(error, "ctx", None)
    hint = f"See `{context.command_path} --help`." if context is not None else None
    message, _, _ = error.format_message().partition(" Choose from:")  # a list, line by line
    choices = getattr(getattr(getattr(error, "param", None), "type", None), "choices", ())
    flag = _HABITS.get(getattr(error, "option_name", ""))
    if context is not None and any(flag in param.opts for param in context.command.params):
        message = f"{message.partition(' Did you mean')[0]} Did you mean {flag!r}?"
    if wrong := _NO_CHOICE.search(message):
        hint = meant(map(str, choices), wrong[1]) + (hint or "")
    return _fields("usage", message, hint)


def _fields(
    code: str, message: str, hint: str | None = None, path: str | None = None
) -> dict[str, Any]:
    return {"code": code, "message": message, "hint": hint, "path": path}


def _name(error: OSError) -> str | None:
    return None if error.filename is None else str(error.filename)


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
