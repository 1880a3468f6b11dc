"""Directories on a disk: a file system in memory has not all that a file can have."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        yield Path(place).resolve()
