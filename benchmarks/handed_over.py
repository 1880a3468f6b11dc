"""What a resident answers: `python -m benchmarks.handed_over ROOT hook|search|edit [PART]`.

Starts a resident of its own, runs the command a hundred times in ROOT, which holds `a.py` with
a call `f(1)`, and prints the seconds that PART of the runs (0.5) needed at most.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_RUNS = 100
COMMANDS = {
    "hook": ("hook", "claude", "--mode", "stage"),
    "search": ("search", "-l", "python", "-p", "f($A)", "a.py"),
    "edit": ("edit", "-l", "python", "-p", "f($A)", "-r", "g($A)", "a.py"),
}


def main(root: str, name: str, part: str = "0.5") -> None:
    """Prints the seconds."""
    with tempfile.TemporaryDirectory(prefix="handed-over-") as own:
        place = {"XDG_RUNTIME_DIR": own, "ASTEDIT_STATE_DIR": f"{own}/state"}
        environment = os.environ | place | {"ASTEDIT_RESIDENT": "1"}

        def run(*words: str, said: bytes = b"") -> None:
            command = [sys.executable, "-m", "astedit", *words]
            subprocess.run(
                command, cwd=root, env=environment, input=said, capture_output=True, check=True
            )

        run("resident", "start")
        seconds = []
        for number in range(_RUNS):
            shutil.rmtree(f"{own}/state", ignore_errors=True)
            started = time.perf_counter()
            run(*COMMANDS[name], said=_call(root, number))
            seconds.append(time.perf_counter() - started)
        run("resident", "stop")
    print(sorted(seconds)[int(_RUNS * float(part)) - 1])


def _call(root: str, number: int) -> bytes:
    edit = {"file_path": str(Path(root, "a.py")), "old_string": "f(1)", "new_string": "g(1)"}
    call = {"session_id": "s", "cwd": root, "tool_use_id": str(number), "tool_name": "Edit"}
    return json.dumps(call | {"tool_input": edit}).encode()


if __name__ == "__main__":
    main(*sys.argv[1:])
