"""Asking a person to approve an action, on the terminal itself."""

import os

from astedit.errors import PreconditionError
from astedit.text.count_phrases import first_lines
from astedit.workspace.path_policy import classify
from resolve import PendingAction, Session
from resolve.visible import one_line

_SHOWN = 20  # files


def ask(action: PendingAction, session: Session) -> None:
    """Asks on the terminal device and records the answer.

    Raises `PreconditionError` without a terminal, and for any other answer.
    """
    from astedit.staging.approval import approve, decided

    subject = decided(action, session)
    mark = subject.fingerprint
    lines = [f"{action.id} {one_line(action.label)}", f"fingerprint {mark}"]
    lines += first_lines(
        [f"  {one_line(path)}{_class(path)}" for path in subject.paths], _SHOWN, indent="  "
    )
    question = "To approve, type the first four characters of the fingerprint: "
    answer = _asked("\n".join([*lines, question]), action)
    if answer.strip().lower() != mark[:4]:
        raise PreconditionError(
            "Not approved: that is not how the fingerprint begins.", code="approval_missing"
        )
    approve(action, mark, session)


def _class(path: str) -> str:
    path_class = classify(path)
    return f" ({path_class})" if path_class else ""


def tell(text: str, action_id: str) -> None:
    """Writes a line to the terminal itself, where no program reads it."""
    hint = f"A person runs, on a terminal: astedit review {action_id} --web"
    terminal = _terminal(hint)
    try:
        os.write(terminal, f"{text}\n".encode("utf-8", "backslashreplace"))
    finally:
        os.close(terminal)


def _asked(question: str, action: PendingAction) -> str:
    """One line from the terminal itself, whatever standard input is."""
    terminal = _terminal(f"A person runs, on a terminal: astedit approve {action.id}")
    try:
        os.write(terminal, question.encode("utf-8", "backslashreplace"))
        return os.read(terminal, 256).decode("utf-8", "replace")
    finally:
        os.close(terminal)


def _terminal(hint: str) -> int:
    """The terminal of this process, to read and to write."""
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise PreconditionError(
            "There is no terminal to ask a person on.", code="approval_missing", hint=hint
        ) from error
