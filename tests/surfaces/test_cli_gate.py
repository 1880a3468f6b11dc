"""`pending`, `show`, `resolve`, `log`: what was staged lands exactly, or not at all."""

import hashlib
import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from astedit.staging.stored import packed, unpacked
from astedit.workspace.root import Workspace
from resolve import SqliteStore
from resolve.storage.rows import pack, strict_json
from tests.support.patience import LAST
from tests.support.project import Outcome, Project, until_parsing

FORMAT = "astedit.engine.fingerprint.PLAN_FORMAT"
EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\nx = 2\n", sub__b_py="h(f(2))\n", c_py="h()\n")
    assert project(*EDIT).code == 0
    return project


def apply(project: Project, *args: str) -> Outcome:
    return project("resolve", "apply", *args, "--reason", "tested")


def test_apply_writes_what_was_shown_and_says_how_much(staged: Project) -> None:
    found = staged.newest()
    done = apply(staged)
    assert (done.code, done.text) == (0, f"Applied {found}: 2 replacements in 2 files.\n")
    assert staged.read("a.py") == "g(1)\nx = 2\n"
    assert staged.read("sub/b.py") == "h(g(2))\n"
    assert staged("pending", "--json").json == []


def test_what_is_about_to_be_written_is_said_before(staged: Project) -> None:
    lines = apply(staged).err.splitlines()
    assert lines[0] == f"root: {staged.root}"
    assert lines[1].endswith(", 2 replacements in 2 files") and " → " in lines[1]


def test_a_second_apply_exits_3(staged: Project) -> None:
    found = staged.newest()
    apply(staged)
    assert apply(staged).code == 3
    again = apply(staged, found)
    assert again.code == 3 and "already applied by cli at" in again.err


def test_discard_writes_nothing(staged: Project) -> None:
    before = staged.files()
    done = staged("resolve", "discard", "--reason", "not now")
    assert (done.code, done.text) == (
        0,
        "Discarded: ast_edit: 2 replacements in 2 files. Reason: not now\n",
    )
    assert staged.files() == before
    assert apply(staged).code == 3


def test_the_result_as_json(staged: Project) -> None:
    found = staged.newest()
    result = apply(staged, "--json").json
    assert result["text"] == f"Applied {found}: 2 replacements in 2 files."
    assert result["details"]["actionId"] == found
    assert result["details"]["sourceResultDetails"]["replacements"] == 2


def test_an_ending_of_an_id_is_enough(staged: Project) -> None:
    found = staged.newest()
    assert apply(staged, "zzzz").code == 3
    assert apply(staged, found[-3:]).code == 3
    assert apply(staged, found[-6:]).code == 0


@pytest.mark.parametrize("reason", [(), ("--reason", ""), ("--reason", "  ")])
def test_a_reason_is_needed(staged: Project, reason: tuple[str, ...]) -> None:
    assert staged("resolve", "apply", *reason).code == 2


def test_an_empty_id_is_not_the_newest(staged: Project) -> None:
    before = staged.files()
    assert apply(staged, "").code == 3
    assert staged("show", "").code == 3
    assert staged.files() == before


def test_the_newest_comes_first_and_all_means_all(project: Project) -> None:
    project.write(a_py="f(1)\n", b_py="k(1)\n")
    project(*EDIT)
    project("edit", "-p", "k($A)", "-r", "l($A)")
    ids = [action["id"] for action in project("pending", "--json").json]
    lines = project("resolve", "apply", "--all", "--reason", "both").text.splitlines()
    assert [line.split()[1].rstrip(":") for line in lines] == ids
    assert (project.read("a.py"), project.read("b.py")) == ("g(1)\n", "l(1)\n")
    assert project("resolve", "apply", "--all", "--reason", "both").code == 3
    assert project("resolve", "apply", "--all", ids[0], "--reason", "both").code == 2


# -- stale -------------------------------------------------------------------------------------


def refused(project: Project, *reasons: str) -> None:
    """Apply exits 3, names each file and why, writes nothing, and the action stays."""
    found, before = project.newest(), project.files()
    done = apply(project)
    assert (done.code, done.out) == (3, b"")
    for reason in reasons:
        assert f"  {reason}\n" in done.err
    assert project.files() == before
    row = project("pending", "--json").json[0]
    assert (row["id"], row["condition"]["name"]) == (found, "stale")


def test_a_changed_file_makes_it_stale(staged: Project) -> None:
    staged.put("a.py", "f(1)\nx = 3\n")
    refused(staged, "a.py: changed")


def test_a_vanished_file_makes_it_stale(staged: Project) -> None:
    (staged.root / "a.py").unlink()
    refused(staged, "a.py: vanished")


def test_a_named_path_that_vanished_makes_it_stale(project: Project) -> None:
    project.write(a_py="f(1)\n", b_py="f(1)\n")
    project(*EDIT, "a.py", "b.py")
    (project.root / "a.py").unlink()
    refused(project, "a.py: vanished")


def test_new_and_lost_matches_make_it_stale(staged: Project) -> None:
    staged.put("a.py", "x = 2\n")
    staged.put("new\n.py", "f(3)\n")
    refused(staged, "a.py: no longer matching", "new\\n.py: newly matching")


def test_an_edit_of_the_same_size_and_time_is_noticed(staged: Project) -> None:
    status = (staged.root / "a.py").stat()
    staged.put("a.py", "f(9)\nx = 2\n")
    os.utime(staged.root / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    refused(staged, "a.py: changed")


def test_a_touched_or_rewritten_file_is_not_stale(staged: Project) -> None:
    place = staged.root / "a.py"
    content = place.read_bytes()
    place.unlink()
    place.write_bytes(content)
    os.utime(place, (1, 1))
    assert apply(staged).code == 0


def test_a_stale_action_can_be_discarded(staged: Project) -> None:
    staged.put("a.py", "")
    refused(staged)
    assert staged("resolve", "discard", "--reason", "stale").code == 0


def test_of_two_plans_for_one_file_the_second_is_stale(staged: Project) -> None:
    staged("edit", "-p", "h($$$A)", "-r", "k($$$A)")
    assert apply(staged).code == 0
    assert apply(staged).code == 3


def test_the_mode_of_now_is_kept(staged: Project) -> None:
    os.chmod(staged.root / "a.py", 0o755)
    assert apply(staged).code == 0
    assert (staged.root / "a.py").stat().st_mode & 0o7777 == 0o755


def test_nothing_else_is_left_in_the_tree(staged: Project) -> None:
    names = set(staged.files())
    apply(staged)
    assert set(staged.files()) == names


# -- show --------------------------------------------------------------------------------------


def test_show_repeats_the_preview(staged: Project) -> None:
    preview = staged(*EDIT, "--no-stage").out
    assert staged("show").out == preview
    assert staged("show", staged.newest()[-5:], "--format", "patch").out == preview


def test_git_apply_gives_what_apply_gives(staged: Project, tmp_path: Path) -> None:
    patch = staged("show", "--format", "patch").out
    apply(staged)
    expected = staged.files()
    staged.write(a_py="f(1)\nx = 2\n", sub__b_py="h(f(2))\n")
    staged.git("apply", "-", input=patch)
    assert staged.files() == expected


def test_an_applied_action_still_shows_its_diff(staged: Project) -> None:
    found, preview = staged.newest(), staged("show").out
    apply(staged)
    assert staged("show", found, "--format", "patch").out == preview
    assert staged("show").code == 3


def test_a_changed_file_is_said_to_have_changed(staged: Project) -> None:
    staged.put("a.py", "f(1)\nx = 3\n")
    shown = staged("show")
    assert "a.py has changed since the preview" in shown.err
    assert b"--- a/a.py\n+++ b/a.py\n@@ line 1 when previewed @@\n-f(1)\n+g(1)\n" in shown.out
    patch = staged("show", "--format", "patch")
    assert (patch.code, patch.out) == (3, b"")


def test_the_documents_of_show(staged: Project) -> None:
    document = staged("show", "--json").json
    assert staged("show", "--format", "json").json == document
    assert (document["id"], document["state"]) == (staged.newest(), "pending")
    plan = staged("show", "--format", "plan").json
    fresh = staged(*EDIT, "--no-stage", "--json").json
    for field in ("request", "files", "fingerprint", "totalReplacements", "languages"):
        assert plan[field] == document[field] == fresh[field]
    assert staged("show", "--format", "stat").text.endswith("2 replacements in 2 files\n")
    assert staged("show", "--format", "shapes").code == 0
    assert staged("show", "--json", "--format", "stat").code == 2


def test_an_edit_in_another_encoding_shows_and_applies(project: Project) -> None:
    source = "# coding: latin-1\nf('é')\n".encode("latin-1")
    project.put("a.py", source)
    project(*EDIT)
    assert project("show", "--format", "patch").out.endswith(b"+g('\xe9')\n")
    assert apply(project).code == 0
    assert project.files()["a.py"] == source.replace(b"f(", b"g(")


# -- the state ---------------------------------------------------------------------------------


def test_the_state_is_named_by_the_real_root(staged: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(staged.root)
    key = hashlib.sha256(os.fsencode(staged.root)).hexdigest()[:16]
    assert [path.name for path in staged.state.iterdir()] == [key]
    assert staged("pending", "--root", str(tmp_path / "link"), "--json").json
    assert apply(staged, "--root", str(tmp_path / "link")).code == 0


def payload_of(project: Project) -> Any:
    """What is stored of the newest action."""
    with closing(SqliteStore(next(project.state.glob("*/state.db")))) as store:
        return store.payload(project.newest())


def forge(project: Project, payload: object) -> None:
    """Writes into the row of every action by hand."""
    with closing(sqlite3.connect(next(project.state.glob("*/state.db")))) as connection:
        connection.execute("UPDATE actions SET payload=?", (payload,))
        connection.commit()


def test_a_row_changed_by_hand_is_refused(staged: Project) -> None:
    plan = unpacked(payload_of(staged))
    plan.files[0].edits[0].new = b"evil()"
    forge(staged, pack(strict_json(packed(plan))))
    before = staged.files()
    done = apply(staged, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "tampered")
    assert staged("show").code == 3
    assert staged.files() == before


def test_a_plan_of_another_version_is_previewed_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fingerprint is not compared: it was taken of other things than one of now."""
    project.write(a_py="f(1)\n")
    with monkeypatch.context() as older:
        older.setattr(FORMAT, 0)
        project(*EDIT)
    old = project.newest()
    for refused in (apply(project), project("show"), project("show", "--format", "plan")):
        assert refused.code == 3
        assert "Another version of astedit staged this plan" in refused.err
        assert f"astedit resolve apply {old} --refresh" in refused.err
    assert project.read("a.py") == "f(1)\n"
    assert apply(project, "--refresh").code == 3
    assert project.newest() != old
    assert "+g(1)" in project("show").text
    assert apply(project).code == 0 and project.read("a.py") == "g(1)\n"


def test_a_plan_of_another_version_can_be_discarded_and_what_it_did_undone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(a_py="f(1)\n")
    with monkeypatch.context() as older:
        older.setattr(FORMAT, 0)
        project(*EDIT)
        assert apply(project).code == 0
        project("edit", "-p", "g($A)", "-r", "h($A)")
    assert project("resolve", "discard", "--reason", "old").code == 0
    refused = project("show", project("log", "--json").json[-1]["actionId"])
    assert refused.code == 3 and "It is applied" in refused.err
    assert project("undo").code == 0 and apply(project).code == 0
    assert project.read("a.py") == "f(1)\n"


@pytest.mark.parametrize("now, code", [(1, 0), (2, 3)])
def test_a_stored_plan_without_a_format_is_of_the_first(
    project: Project, monkeypatch: pytest.MonkeyPatch, now: int, code: int
) -> None:
    project.write(a_py="f(1)\n")
    monkeypatch.setattr(FORMAT, 1)
    project(*EDIT)
    payload = dict(payload_of(project))
    assert payload.pop("format") == 1
    forge(project, pack(strict_json(payload)))
    monkeypatch.setattr(FORMAT, now)
    assert apply(project).code == code


@pytest.mark.parametrize("payload", ["{}", '{"v": 2}', '{"v": 1, "plan": "x"}', "[]"])
def test_a_payload_that_is_not_ours_is_refused(staged: Project, payload: str) -> None:
    forge(staged, payload)
    assert apply(staged).code == 3
    assert staged("show").code == 3
    assert staged("resolve", "discard", "--reason", "damaged").code == 0


def test_a_state_directory_inside_the_root_is_refused(staged: Project) -> None:
    inside = str(staged.root / "state")
    for command in ((*EDIT, "--no-stage"), ("pending",), ("resolve", "apply", "--reason", "x")):
        assert staged(*command, "--state-dir", inside).code == 2
    assert not (staged.root / "state").exists()


def test_looking_makes_no_state(project: Project) -> None:
    assert project("pending", "--json").json == []
    assert project("log", "--json").json == []
    assert project("show").code == 3
    assert apply(project).code == 3
    assert not project.state.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_state_that_cannot_be_written_still_gives_the_preview(project: Project) -> None:
    project.write(a_py="f(1)\n")
    project.state.mkdir(mode=0o500)
    unregistered(project)


def test_a_state_directory_that_is_a_file_still_gives_the_preview(project: Project) -> None:
    project.write(a_py="f(1)\n")
    project.state.mkdir()
    with Workspace(project.root) as workspace:
        (project.state / workspace.key).write_text("")
    unregistered(project)


def unregistered(project: Project) -> None:
    done = project(*EDIT)
    assert (done.code, done.out[:11]) == (5, b"--- a/a.py\n")
    assert "not registered" in done.err and "Staged as" not in done.err
    assert done.err.endswith("`--state-dir DIR` names one.\n")
    assert project(*EDIT, "--no-stage").code == 0
    document = project(*EDIT, "--json")
    assert (document.code, list(document.json)) == (5, ["error"])


def test_the_actor_is_recorded(staged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTEDIT_ACTOR", "alice")
    apply(staged)
    row = staged("log", "--json", "--limit", "1").json[0]
    assert row["who"] == "cli:alice"
    assert row["files"][0]["before"] != row["files"][0]["after"]
    line = staged("log").text
    assert "applied" in line and "by cli:alice: tested" in line


def test_a_failed_apply_is_in_the_log(staged: Project) -> None:
    staged.put("a.py", "")
    apply(staged)
    row = staged("log", "--json").json[0]
    assert (row["outcome"], row["code"]) == ("failed", "stale")


def test_the_label_names_protected_files(project: Project) -> None:
    project.put(".vscode/a.py", "f(1)\n")
    project.write(b_py="f(1)\n")
    paths = (".vscode/a.py", "b.py")
    assert "1 match left out" in project(*EDIT, *paths).err
    project(*EDIT, *paths, "--allow-protected")
    label = project("pending", "--json").json[0]["label"]
    assert label == "ast_edit: 2 replacements in 2 files, protected: .vscode/a.py"


def test_files_that_run_by_themselves_are_named_in_label_and_preview(project: Project) -> None:
    project.write(conftest_py="f(1)\n", setup_py="f(1)\n", b_py="f(1)\n")
    assert "hint: conftest.py, setup.py: such files run by themselves." in project(*EDIT).err
    label = project("pending", "--json").json[0]["label"]
    assert label == "ast_edit: 3 replacements in 3 files, noted: conftest.py, setup.py"
    assert apply(project).code == 0
    assert project.read("setup.py") == "g(1)\n"


def test_one_file_that_cannot_be_replaced_keeps_all_as_they_were(staged: Project) -> None:
    os.link(staged.root / "sub/b.py", staged.root.parent / "other name")
    before = staged.files()
    done = apply(staged, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "hard_link")
    assert "--exclude PATH" in done.json["error"]["hint"]
    assert staged.files() == before
    assert staged("pending", "--json").json[0]["state"] == "pending"


@pytest.mark.slow
def test_ctrl_c_while_the_edit_is_run_again_leaves_it_pending(project: Project) -> None:
    for number in range(200):
        project.put(f"d/m{number}.py", "f(1)\n" + "x = [g(1), g(2)]\n" * 1000)
    project(*EDIT)
    before = project.files()
    process = project.process("resolve", "apply", "--reason", "x", start_new_session=True)
    until_parsing(process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LAST)
    assert (process.returncode, out) == (130, b""), err
    assert err.endswith(b"Interrupted: no file was changed, and the action is still pending.\n")
    assert project.files() == before
    assert project("pending", "--json").json[0]["state"] == "pending"
    assert project("log", "--json").json[0]["code"] == "aborted"


@pytest.mark.parametrize("setting", ['policy = "human"', 'human_paths = ["sub/**"]'])
def test_what_a_person_must_approve_is_not_applied(staged: Project, setting: str) -> None:
    staged.put("astedit.toml", setting)
    before = staged.files()
    command = ("resolve", "apply", "--json", "--reason", "r")
    with staged.process(*command, start_new_session=True) as process:  # without a terminal
        out, _ = process.communicate(timeout=LAST)
    assert (process.returncode, json.loads(out)["error"]["code"]) == (3, "approval_missing")
    assert staged.files() == before


def test_the_configuration_reaches_preview_and_apply_alike(staged: Project) -> None:
    apply(staged)
    staged.put("astedit.toml", 'ignore = ["sub/"]\nstate_dir = "/x"\n')
    staged.write(a_py="f(1)\n", sub__b_py="f(2)\n")
    done = staged(*EDIT, "--stat")
    assert done.text == " a.py | 1\n 1 replacement in 1 file\n"
    assert "warning: astedit.toml: state_dir is not for a repository to set" in done.err
    assert staged("search", "-p", "f($A)").text == "a.py:1:f(1)\n"
    assert apply(staged).code == 0
    assert staged.read("sub/b.py") == "f(2)\n"
