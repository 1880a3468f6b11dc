"""`astedit undo` and `approve`: the way back goes through the same gate."""

import os
import pty
import stat
from hashlib import sha256

import pytest

from tests.support.database import opened
from tests.support.patience import LAST
from tests.support.project import Outcome, Project

EDIT = ("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet")


@pytest.fixture
def done(project: Project) -> Project:
    """A project whose edit was applied."""
    project.write(a_py="f(1)\r\nx = 2", sub__b_py="f(3)\n", c_py="h()\n")
    (project.root / "a.py").chmod(0o755)
    (project.root / "sub/b.py").chmod(0o640)
    assert project(*EDIT).code == 0
    assert apply(project).code == 0
    return project


def apply(project: Project, *args: str) -> Outcome:
    return project("resolve", "apply", "--reason", "tested", *args)


def state(project: Project, action: str) -> str:
    return str(project("show", action, "--json").json["state"])


def tree(project: Project) -> dict[str, tuple[bytes, int]]:
    modes = {path: stat.S_IMODE((project.root / path).stat().st_mode) for path in project.files()}
    return {path: (text, modes[path]) for path, text in project.files().items()}


def test_undo_restores_bytes_and_modes_through_the_gate(project: Project) -> None:
    project.write(a_py="f(1)\r\nx = 2", sub__b_py="f(3)\n")
    (project.root / "a.py").chmod(0o755)
    before = tree(project)
    project(*EDIT)
    applied = apply(project, "--json").json["details"]["actionId"]
    after = tree(project)
    (project.root / "a.py").chmod(0o600)
    staged = project("undo")
    assert staged.code == 0 and "-gg(1)\r\n+f(1)\r\n" in staged.text
    assert "Staged as " in staged.err and "files are NOT modified yet" in staged.err
    assert project.files() == {path: text for path, (text, _) in after.items()}
    assert apply(project).code == 0
    assert tree(project) == before
    assert state(project, applied) == "undone"


def test_the_diff_of_an_undo_applies_with_git(done: Project) -> None:
    patch = done("undo").out
    done.git("init", "-q")
    done.git("apply", "--check", "-", input=patch)


def test_undoing_an_undo_applies_it_again(done: Project) -> None:
    first = done("log", "--json").json[0]["actionId"]
    new = done.files()
    assert "undone any more" not in done("log").text
    done("undo")
    second = apply(done, "--json").json["details"]["actionId"]
    refused = done("undo")  # nothing is left that is no undo itself
    assert refused.code == 3 and "Everything that was applied here is undone." in refused.err
    assert done("log").text.count(" (undone)  by") == 1
    assert done("undo", second).code == 0
    assert apply(done).code == 0
    assert done.files() == new
    assert (state(done, first), state(done, second)) == ("applied", "undone")


def test_a_file_edited_since_is_named_and_nothing_is_written(done: Project) -> None:
    done.put("sub/b.py", "mine\n")
    refused = done("undo", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (3, "stale")
    assert "sub/b.py" in refused.json["error"]["message"]
    done.put("sub/b.py", "gg(3)\n")
    assert done("undo").code == 0
    done.put("a.py", "mine too\n")
    before = done.files()
    assert apply(done).code == 3
    assert done.files() == before


def test_a_part_that_was_applied_can_be_undone(project: Project) -> None:
    project.write(a_py="f(1)\nf(2)\n")
    before = project.files()
    project(*EDIT)
    edit = project("show", "--format", "plan").json["files"][0]["edits"][1]["id"]
    assert apply(project, "--only", edit).code == 0
    assert project.files()["a.py"] == b"f(1)\ngg(2)\n"
    assert project("undo").code == 0 and apply(project).code == 0
    assert project.files() == before


def test_without_images_it_says_so(done: Project) -> None:
    with opened(next(done.state.glob("*/state.db"))) as database:
        database.execute("DELETE FROM images")
    refused = done("undo", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (3, "no_images")
    assert done("log").text.endswith("(cannot be undone any more)\n")


def test_an_undo_whose_row_was_changed_is_refused(done: Project) -> None:
    done("undo")
    with opened(next(done.state.glob("*/state.db"))) as database:
        database.execute(
            "UPDATE actions SET payload = replace(payload, '493', '511') WHERE handler = 'undo'"
        )
    before = done.files()
    refused = apply(done, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (3, "tampered")
    assert done.files() == before


def test_a_name_of_any_bytes_is_undone(project: Project) -> None:
    name = "caf\udce9.py"
    (project.root / name).write_bytes(b"f(1)\n")
    project(*EDIT)
    assert apply(project).code == 0
    assert project("undo").code == 0 and apply(project).code == 0
    assert project.files()[name] == b"f(1)\n"


def test_images_are_of_what_was_there(done: Project) -> None:
    import zlib

    with opened(next(done.state.glob("*/state.db"))) as database:
        rows = database.execute("SELECT sha256, image FROM images").fetchall()
    found = {name: zlib.decompress(image) for name, image in rows}
    assert found == {sha256(text).hexdigest(): text for text in (b"f(1)\r\nx = 2", b"f(3)\n")}


# -- approval ------------------------------------------------------------------------------


@pytest.fixture
def guarded(project: Project) -> Project:
    """A project under policy `human`, with an edit staged."""
    project.write(a_py="f(1)\n")
    project.put("astedit.toml", 'policy = "human"\n')
    assert project(*EDIT).code == 0
    return project


def on_terminal(project: Project, answer: str, *args: str) -> tuple[int, str]:
    """Runs the real command on a terminal of its own, and types."""
    command = project.process_command(*args)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project.root)
        os.execv(command[0], command)
    shown = b""
    while b"of the fingerprint: " not in shown:
        shown += _read(terminal)
    os.write(terminal, answer.encode() + b"\n")
    while part := _read(terminal):
        shown += part
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the command has ended
        return b""


def mark(project: Project) -> str:
    return str(project("show", "--json").json["fingerprint"])


def test_without_a_terminal_the_command_to_run_is_told(guarded: Project) -> None:
    with guarded.process("resolve", "apply", "--reason", "r", start_new_session=True) as process:
        _, err = process.communicate(timeout=LAST)
    assert process.returncode == 3
    assert f"astedit approve {guarded.newest()}".encode() in err
    assert guarded.read("a.py") == "f(1)\n"


def test_a_person_approves_and_then_an_agent_may_apply(guarded: Project) -> None:
    code, shown = on_terminal(guarded, mark(guarded)[:4], "approve", guarded.newest())
    assert code == 0 and "1 replacement in 1 file" in shown and "a.py" in shown
    with guarded.process("resolve", "apply", "--reason", "r", start_new_session=True) as process:
        process.communicate(timeout=LAST)
    assert process.returncode == 0 and guarded.read("a.py") == "gg(1)\n"


def test_a_person_sees_which_files_run_by_themselves(guarded: Project) -> None:
    guarded.write(conftest_py="f(2)\n")
    guarded("edit", "-p", "f($A)", "-r", "gg($A)", "--quiet")
    code, shown = on_terminal(guarded, mark(guarded)[:4], "approve", guarded.newest())
    assert code == 0
    assert "noted: conftest.py" in shown and "  conftest.py (noted)" in shown


def test_a_wrong_answer_approves_nothing(guarded: Project) -> None:
    wrong = "0000" if not mark(guarded).startswith("0000") else "1111"
    code, _ = on_terminal(guarded, wrong, "resolve", "apply", "--reason", "r")
    assert code == 3 and guarded.read("a.py") == "f(1)\n"


def test_resolve_asks_on_the_terminal(guarded: Project) -> None:
    code, shown = on_terminal(guarded, mark(guarded)[:4], "resolve", "apply", "--reason", "r")
    assert code == 0 and "Applied" in shown and guarded.read("a.py") == "gg(1)\n"


def test_an_approval_is_of_one_fingerprint(guarded: Project) -> None:
    on_terminal(guarded, mark(guarded)[:4], "approve", guarded.newest())
    guarded.put("a.py", "f(1)\nf(2)\n")
    assert apply(guarded, "--refresh").code == 3
    with guarded.process("resolve", "apply", "--reason", "r", start_new_session=True) as process:
        process.communicate(timeout=LAST)
    assert process.returncode == 3 and guarded.read("a.py") == "f(1)\nf(2)\n"


def test_an_undo_needs_an_approval_too(done: Project) -> None:
    done.put("astedit.toml", 'human_paths = ["sub/**"]\n')
    assert done("undo").code == 0
    with done.process("resolve", "apply", "--reason", "r", start_new_session=True) as process:
        process.communicate(timeout=LAST)
    assert process.returncode == 3 and done.read("sub/b.py") == "gg(3)\n"


def test_what_has_a_pending_undo_gets_no_second_one(done: Project) -> None:
    first, second = done("undo"), done("undo", "--json")
    action = second.json["actionId"]
    assert f"Staged as {action}: files" in first.err
    assert second.json["notice"].startswith(f"Already staged as {action}: ")
    assert len(done("pending", "--json").json) == 1
    assert done("undo", "--apply", "--reason", "a try").code == 0
    assert done("pending", "--json").json == []
    assert done("undo", action).code == 0  # an undo that was applied is an action as any other


def test_undo_takes_what_edit_takes(done: Project) -> None:
    before = done.files()
    assert (done("undo", "--check").code, done("undo", "--no-stage").code) == (1, 0)
    assert done("undo", "--no-stage", "--stat").text == " a.py | restored\n sub/b.py | restored\n"
    assert done("undo", "--check", "--json").json["applied"] is False
    assert done("pending", "--json").json == [] and done.files() == before
    assert done("undo", "--apply").code == 2  # no reason, and nobody to ask
    assert done("undo", "--reason", "x").code == 2
    applied = done("undo", "--apply", "--reason", "a try", "--json").json
    assert (applied["applied"], applied["state"]) == (True, "applied")
    assert done.read("sub/b.py") == "f(3)\n"


def test_a_person_sees_the_kinds_of_edit_and_the_odd_ones(project: Project) -> None:
    project.write(a_py="f(1)\nf(2)\nf(3)\nf(f(4))\n", conftest_py="f(5)\n")
    project.put("astedit.toml", 'policy = "human"\n')
    project("edit", "-p", "f($A)", "-r", "gg($A)")
    assert "[waits for an approval]" in project("pending").text
    typed = f"{mark(project)[:4]}\nseen it"
    code, shown = on_terminal(project, typed, "approve", project.newest(), "--apply")
    assert project("log", "--json").json[0]["reason"] == "seen it"
    assert (code, project.read("a.py")) == (0, "gg(1)\ngg(2)\ngg(3)\ngg(gg(4))\n")
    lines = [line.rstrip() for line in shown.splitlines()]
    above = next(n for n, line in enumerate(lines) if line.startswith("fingerprint"))
    assert any(line.startswith("staged by cli at 20") for line in lines)
    question = next(n for n, line in enumerate(lines) if line.startswith("To approve"))
    assert question - above > 8  # not right above the question
    for line in (
        "      3  f($A) → gg($A)  (1 file)  shape:1", "  a.py:1", "    - f(1)", "    + gg(1)",
        "2 outliers:", "    + gg(gg(4))", "  conftest.py (noted)",
        "In all: 6 replacements in 2 files, 2 shapes.",
    ):  # fmt: skip
        assert line in lines, line


def test_a_person_denies_with_words_that_the_agent_reads(guarded: Project) -> None:
    action = guarded.newest()
    code, shown = on_terminal(guarded, "d\nr\nn\nn\ntoo \x7fbroad", "approve", action)
    assert code == 3 and "+gg(1)" in shown and "1 of 1 decided, 1 rejected" in shown
    refused = guarded("resolve", "apply", action, "--reason", "r")
    assert refused.code == 3 and "was already discarded" in refused.err
    assert "Reason: toobroad" in refused.err
    assert guarded.read("a.py") == "f(1)\n"


def test_an_apply_waits_for_a_person(guarded: Project) -> None:
    command = ("resolve", "apply", "--wait", str(LAST), "--reason", "r")
    with guarded.process(*command, start_new_session=True) as process:
        assert on_terminal(guarded, mark(guarded)[:4], "approve", guarded.newest())[0] == 0
        process.communicate(timeout=LAST)
    assert process.returncode == 0 and guarded.read("a.py") == "gg(1)\n"


def test_an_apply_waits_no_longer_than_it_may(guarded: Project) -> None:
    done = guarded("resolve", "apply", "--wait", "0.1", "--reason", "r")
    assert done.code == 3 and "approve" in done.err
