"""What is said of a tree that is not as it was previewed: each file, and how it differs."""

from pathlib import Path

from astedit import Plan, ast_edit
from astedit.staging.outcome import LISTED, differing, moved_meanwhile, stale_because
from astedit.workspace.root import Workspace

OPS = [{"pat": "f($A)", "out": "g($A)"}]


def planned(root: Path) -> Plan:
    return ast_edit(OPS, root=root)


def test_every_file_that_differs_is_named_with_how(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / f"{name}.py").write_text("f(1)\n")
    preview = planned(tmp_path)
    (tmp_path / "a.py").write_text("f(2)\n")
    (tmp_path / "b.py").unlink()
    (tmp_path / "c.py").write_text("h(1)\n")
    (tmp_path / "d.py").unlink()
    (tmp_path / "d.py").symlink_to("e.py")
    (tmp_path / "new.py").write_text("f(1)\n")
    with Workspace(tmp_path) as workspace:
        error = differing(preview, planned(tmp_path), workspace)
    assert error.code == "stale"
    assert error.message.splitlines() == [
        "The tree has changed since the preview; nothing was written.",
        "  a.py: changed",
        "  b.py: vanished",
        "  c.py: no longer matching",
        "  d.py: a link to e.py now",
        "  new.py: newly matching",
    ]


def test_the_same_files_are_another_astedit_or_grammar(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    with Workspace(tmp_path) as workspace:
        error = differing(planned(tmp_path), planned(tmp_path), workspace)
    assert error.message.startswith("astedit or a grammar has changed since the preview")


def test_a_long_list_is_cut_short() -> None:
    error = stale_because([f"{number}.py: changed" for number in range(LISTED + 5)])
    assert f"  {LISTED - 1}.py: changed" in error.message
    assert f"  {LISTED}.py: changed" not in error.message


def test_a_file_that_moves_while_it_is_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a\x1b.py").write_text("f(1)\n")
    error = moved_meanwhile(planned(tmp_path).files[0])
    assert "\x1b" not in error.message and "changed while it was looked at" in error.message
