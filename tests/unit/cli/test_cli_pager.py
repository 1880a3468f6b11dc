"""The pager: started only for what is longer than the screen, and left at any time."""

from pathlib import Path

import pytest

from astedit.cli.output.streams import Pager, pager_command


@pytest.fixture(autouse=True)
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("COLUMNS", "20")


@pytest.mark.parametrize(
    ("content", "started"),
    [(b"x\n" * 8, False), (b"x\n" * 9, True), (b"x" * 100 + b"\n" + b"x\n" * 4, True)],
)
def test_it_is_started_for_what_the_screen_cannot_hold(
    content: bytes, started: bool, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    shown = tmp_path / "shown"
    pager = Pager(["sh", "-c", f"cat > {shown}; printf $LESS"])
    for line in content.splitlines(keepends=True):
        pager.write(line)
    pager.end()
    assert shown.exists() == started
    printed = capfdbinary.readouterr().out
    assert (shown.read_bytes() if started else printed) == content
    assert printed == b"FRX" or not started


def test_it_may_be_left_before_all_is_read() -> None:
    pager = Pager(["true"])
    for _ in range(1_000):
        pager.write(b"x" * 1_000 + b"\n")
    pager.end()


def test_without_the_program_all_is_printed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pager = Pager(["/no/such/pager"])
    for _ in range(12):
        pager.write(b"x\n")
    pager.end()
    out, err = capfdbinary.readouterr()
    assert out == b"x\n" * 12 and b"the pager cannot be started: No such file" in err


def test_no_program_of_the_working_tree_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "bin").mkdir()
    planted = tmp_path / "bin/planted"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    for command, expected in [("planted", None), ("sh -c", ["sh", "-c"]), ("'", None)]:
        monkeypatch.setenv("PAGER", command)
        words = pager_command()
        assert (words and [words[0].rpartition("/")[2], *words[1:]]) == expected
