"""Each client's recorded calls, answered in the form that it reads."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.agents.kit.rows import CLIENTS, client
from astedit.hook.answer import answer
from tests.support.hooks import EDIT, PATCH, SHELL, WRITE, Hook, payload, reason
from tests.support.project import Project

MakeHook = Callable[..., Hook]


@pytest.fixture
def hook(project: Project, monkeypatch: pytest.MonkeyPatch) -> MakeHook:
    project.write(a_py="import os\n\n\ndef f(x):\n    return old(x)\n", b_py="y = 1\n")
    return lambda name="claude", mode="stage": Hook(project, monkeypatch, name, mode)


@pytest.mark.parametrize("name", EDIT)
def test_an_edit_becomes_a_plan_that_one_apply_lands(hook: MakeHook, name: str) -> None:
    made = hook(name)
    before = made.project.files()
    text = made.edit("a.py", "old(x)", "new(x)")
    (action,) = made.pending
    assert f"Staged as {action}" in text and "|+    return new(x)" in text
    assert f"astedit resolve apply {action} --reason" in text
    assert made.project.files() == before
    assert made.apply().code == 0
    assert made.project.read("a.py") == "import os\n\n\ndef f(x):\n    return new(x)\n"


@pytest.mark.parametrize("name", WRITE)
def test_a_new_file_and_a_whole_one_are_one_plan(hook: MakeHook, name: str) -> None:
    made = hook(name)
    made.write("new/c.txt", "hello\n")
    assert "It holds the earlier edits too" in made.write("d.py", "z = 2\n")
    assert made.apply().code == 0
    assert (made.project.read("new/c.txt"), made.project.read("d.py")) == ("hello\n", "z = 2\n")


@pytest.mark.parametrize("name", PATCH)
def test_a_patch_in_the_form_of_codex(hook: MakeHook, name: str) -> None:
    made = hook(name)
    made.project.put("crlf.txt", "one\r\ntwo\r\nthree\r\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@ def f(x):\n-    return old(x)\n"
        "+    return new(x)\n*** Add File: q/z.txt\n+hello\n*** Delete File: b.py\n"
        "*** Update File: crlf.txt\n*** Move to: moved.txt\n one\n-two\n+zwei\n three\n"
        "*** End Patch"
    )
    tool, field = PATCH[name]
    made.denied(tool, {field: patch})
    assert made.apply().code == 0
    files = made.project.files()
    assert "b.py" not in files and files["q/z.txt"] == b"hello\n"
    assert files["moved.txt"] == b"one\r\nzwei\r\nthree\r\n" and "crlf.txt" not in files
    assert files["a.py"].endswith(b"    return new(x)\n")


def test_one_file_by_two_names_is_one_file(hook: MakeHook) -> None:
    made = hook("codex")
    (made.project.root / "here").symlink_to(".")
    sections = "".join(
        f"*** Update File: {name}\n@@\n+{line}\n"
        for name, line in (("b.py", "one = 1"), ("./b.py", "two = 2"), ("here/b.py", "three = 3"))
    )
    made.denied("apply_patch", {"command": f"*** Begin Patch\n{sections}*** End Patch"})
    assert made.apply().code == 0
    assert made.project.read("b.py") == "y = 1\none = 1\ntwo = 2\nthree = 3\n"


@pytest.mark.parametrize(
    ("within", "before", "after", "place"),
    [(None, "", "\n", "c.txt"), ("sub", "cd ../sub && ", "", "sub/c.txt"),
     (".", "cd 'sub/../sub';", "\nmake", "sub/c.txt"), ("sub", "make && ", "", "sub/c.txt"),
     (".", "cd $X && ", "", ""), (".", "make; cd sub; ", "", "")],
)  # fmt: skip
def test_a_patch_within_a_shell_command(
    hook: MakeHook, within: str | None, before: str, after: str, place: str
) -> None:
    made = hook("codex")
    (made.project.root / "sub").mkdir()
    patch = "*** Begin Patch\n*** Add File: c.txt\n+hello\n*** End Patch"
    command = {"command": f"{before}apply_patch <<'EOF'\n{patch}\nEOF{after}", "workdir": within}
    if place:  # else nobody knows where
        assert ("were not run" in made.denied("Bash", command)) == ("make" in before + after)
        assert made.apply().code == 0 and made.project.read(place) == "hello\n"
    else:
        made.passes("Bash", command)


@pytest.mark.parametrize("name", sorted({*WRITE} - {"copilot"}))
def test_the_whole_texts_of_a_client_keep_its_earlier_edits(hook: MakeHook, name: str) -> None:
    """It makes each from the file on the disk, on which nothing is written yet."""
    made = hook(name)
    made.project.put("l.txt", "1\n2\n3\n4\n5\n")
    made.write("l.txt", "one\n2\n3\n4\n5\n")
    assert "But" not in made.write("l.txt", "1\n2\n3\n4\nfive\n")
    assert "of the same lines of " in made.write("l.txt", "1\n2\n3\n4\nFIVE\n")
    if name == "cursor":
        made.denied("Delete", {"file_path": str(made.project.root / "b.py")})
    assert made.apply().code == 0
    assert made.project.read("l.txt") == "one\n2\n3\n4\nFIVE\n"
    assert (made.project.root / "b.py").exists() == (name != "cursor")


def test_copilot_and_cursor_are_answered_in_their_form_by_the_hook_of_claude(
    hook: MakeHook,
) -> None:
    made = hook("claude")
    root = str(made.project.root)
    given = {"path": f"{root}/b.py", "old_str": "y = 1", "new_str": "y = 2"}
    copilot = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": root}
    copilot |= {"timestamp": "2026-11-24T10:00:00Z", "tool_name": "Edit", "tool_input": given}
    reason("copilot", made.send(json.dumps(copilot).encode()).text)
    whole = {"file_path": f"{root}/c.py", "content": "z = 1\n"}
    claude = payload("claude", root, "Write", whole, "s2", "t") | {"timestamp": 1}
    reason("claude", made.send(json.dumps(claude).encode()).text)
    cursor = payload("cursor", root, "Write", whole, "s", "t")
    reason("cursor", made.send(json.dumps(cursor).encode()).text)


@pytest.mark.parametrize("name", CLIENTS)
def test_require_passes_what_reads_and_denies_what_it_does_not_know(
    hook: MakeHook, name: str
) -> None:
    made = hook(name, "require")
    reading = client(name).row["reading"]["names"].split()
    for tool in (reading[0], reading[-1], "mcp__astedit__resolve", "ast_edit"):
        made.passes(tool, {"anything": 1})
    made.passes(SHELL[name], {"command": "git diff > /dev/null 2>&1"})
    assert "rm" in made.denied(SHELL[name], {"command": "cd x && rm -r y"})
    assert "does not see" in made.denied(SHELL[name], {"command": "echo a >> b.txt"})
    assert "not known" in made.denied(SHELL[name], {"command": "ls", "odd": 1})
    assert "is no tool that is known" in made.denied("mcp__other__write", {})
    assert made.pending == []


ODD = st.dictionaries(
    st.text(max_size=8), st.none() | st.integers() | st.text(max_size=5), max_size=4
)
OURS = {"cwd", "timestamp", "cursor_version", "args", "tool"}


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "copilot"])
@pytest.mark.parametrize("mode", ["offer", "stage", "require"])
@given(odd=ODD)
def test_odd_fields_beside_the_input_change_nothing(name: str, mode: str, odd: dict) -> None:
    """Releases add them."""
    sent = payload(name, "/", SHELL[name], {"command": "rm x"}, "s", "t")
    plain = answer(name, mode, json.dumps(sent).encode())  # type: ignore[arg-type]
    odd = {key: value for key, value in odd.items() if key not in sent and key not in OURS}
    more = answer(name, mode, json.dumps(odd | sent).encode())  # type: ignore[arg-type]
    assert more == plain
    assert bool(plain.out) == (mode == "require")
