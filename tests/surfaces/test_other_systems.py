"""What is done elsewhere than on Linux, as far as Linux can tell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPOSITORY

WINDOWS = "import sys; sys.platform = 'win32'; from astedit.__main__ import main; sys.exit(main())"


def test_windows_is_told_what_to_do_instead() -> None:
    done = subprocess.run([sys.executable, "-c", WINDOWS], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "hint: Install and run it in WSL."


@pytest.mark.slow
def test_what_only_reads_is_tried_by_a_script(tmp_path: Path) -> None:
    """The one that the workflow for other systems runs."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "ASTEDIT_STATE_DIR": str(tmp_path)}
    command = [REPOSITORY / ".ci/try-reading"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "Staged as" in done.stderr
