"""Fixtures of the surfaces: an empty project, and what standard input holds."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.project import REPOSITORY, Project


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Project:
    """An empty project that is the working directory, with its own state directory."""
    root = tmp_path / "project"
    root.mkdir()
    made = Project(root, capfdbinary)
    made.put("astedit.toml", "")
    monkeypatch.chdir(root)
    monkeypatch.setenv("ASTEDIT_STATE_DIR", str(made.state))
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    for name in ("ASTEDIT_JOBS", "ASTEDIT_ACTOR", "ASTEDIT_POLICY", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Sets what standard input holds."""

    def give(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give
