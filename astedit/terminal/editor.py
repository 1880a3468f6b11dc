"""The editor of the person, in the place of the screen."""

import os
import shlex
import subprocess
from tempfile import NamedTemporaryFile

from astedit.errors import PreconditionError
from astedit.programs import find_program


def run(root: str, *arguments: str) -> str:
    """Runs it until it is left, and says so; raises `PreconditionError` where it fails."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(command)
    except ValueError as error:  # a quote that nothing closes
        raise PreconditionError(
            f"EDITOR is no command: {error}. The plan is as it was.", code="no_editor"
        ) from error
    program = find_program(words[0], root) if words else None
    if program is None:
        raise PreconditionError("There is no editor: set EDITOR.", code="no_editor")
    code = subprocess.run([program, *words[1:], *arguments], check=False).returncode
    if code:
        raise PreconditionError(
            f"The editor ended with {code}; the plan is as it was.", code="editor"
        )
    return "Back from the editor."


def edited(root: str, text: str) -> str:
    """What a person makes of a text. Raises as `run`."""
    with NamedTemporaryFile(suffix=".diff") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        run(root, file.name)
        with open(file.name, "rb") as saved:
            return saved.read().decode("utf-8", "surrogateescape")
