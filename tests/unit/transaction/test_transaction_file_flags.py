"""Attributes of `chattr`: read, named, and none where a file system does not know them."""

import os
import subprocess
from pathlib import Path

import pytest

from astedit.transaction.disk import DISK
from astedit.transaction.file_flags import PINNED, flag_names, flags_of, project_of


def test_every_letter_has_its_word_and_an_unknown_bit_its_number() -> None:
    assert flag_names(PINNED) == "i (immutable), a (append only)"
    assert flag_names(0x800000 | 1 << 31) == "C (no copy on write), 0x80000000"


def test_what_chattr_sets_is_read_and_what_we_set_lsattr_shows(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    try:
        done = subprocess.run(["chattr", "+dA", str(path)], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("chattr is not installed")
    if done.returncode:
        pytest.skip(done.stderr)
    file = os.open(path, os.O_RDONLY)
    try:
        assert (flags_of(file), project_of(file)) == (0x40 | 0x80, 0)
        DISK.set_flags(file, 0x8)
    finally:
        os.close(file)
    shown = subprocess.run(["lsattr", str(path)], capture_output=True, text=True).stdout
    letters = shown.split()[0]
    assert "S" in letters and not set("dA") & set(letters)


def test_where_nobody_knows_them_there_are_none() -> None:
    file = os.open("/proc/self/status", os.O_RDONLY)
    try:
        assert (flags_of(file), project_of(file)) == (0, 0)
    finally:
        os.close(file)
