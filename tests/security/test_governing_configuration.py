"""Who relaxes the gate through the gate: that is a person's to decide, whatever the policy."""

from pathlib import Path
from typing import Any

import pytest

from astedit import ast_edit
from astedit.staging import approval, undo
from astedit.staging.stage import stage
from astedit.staging.workspace_session import workspace_session
from resolve import ToolError
from tests.support.faults.mutate import replace

TABLE = '[tool.astedit]\npolicy = "human"\n\n[tool.other]\nline-length = 88\n'


HUMAN = ('human_paths = ["x.py"]', 'human_paths = ["none.py"]', "toml")
IGNORE = ('ignore = ["x.py"]', 'ignore = ["y.py"]', "toml")


class Gate:
    """A workspace, and an agent that has only the tools."""

    def __init__(self, place: Path) -> None:
        self.root, self.state = place / "root", place / "state"
        self.root.mkdir()

    def put(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def session(self) -> Any:
        return workspace_session(str(self.root), str(self.state), who="agent", create=True)

    def staged(self, pat: str, out: str, lang: str) -> str:
        plan = ast_edit([{"pat": pat, "out": out, "lang": lang}], root=self.root)
        assert plan.total_replacements
        with self.session() as session:
            return stage(plan, session).id

    def apply(self, action: str, **extra: Any) -> str | None:
        """Resolves as an agent does; the code of the refusal."""
        with self.session() as session:
            try:
                session.resolve("apply", "wanted", extra or None, action)
            except ToolError as error:
                return error.code
        return None

    def approve(self, action: str) -> None:
        with self.session() as session:
            stored = session.store.get(action)
            approval.approve(stored, approval.decided(stored, session).fingerprint, session)

    def undo(self, action: str) -> str:
        with self.session() as session:
            return str(undo.stage_shown(action, str(self.root), session)[0].id)


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.mark.parametrize(
    ("path", "text", "op"),
    [
        ("astedit.toml", 'human_paths = ["x.py"]\n', HUMAN),
        ("sub/astedit.toml", 'ignore = ["x.py"]\n', IGNORE),
        ("sgconfig.yml", "ruleDirs: [rules]\n", ("rules", "other", "yaml")),
        ("pyproject.toml", TABLE, ('policy = "human"', 'policy = "agent"', "toml")),
    ],
)
def test_an_edit_of_what_governs_the_gate_needs_a_person(
    gate: Gate, path: str, text: str, op: tuple[str, str, str]
) -> None:
    gate.put(path, text)
    action = gate.staged(*op)
    assert gate.apply(action) == "approval_missing"
    assert (gate.root / path).read_text() == text
    gate.approve(action)
    assert gate.apply(action) is None
    assert (gate.root / path).read_text() != text


def test_its_undo_needs_one_too(gate: Gate) -> None:
    gate.put("astedit.toml", 'ignore = ["x.py"]\n')
    action = gate.staged(*IGNORE)
    gate.approve(action)
    assert gate.apply(action) is None
    assert gate.apply(gate.undo(action)) == "approval_missing"


def test_of_a_pyproject_only_the_table_counts(gate: Gate) -> None:
    gate.put("pyproject.toml", TABLE.replace('policy = "human"', 'ignore = ["x"]'))
    assert gate.apply(gate.staged("line-length = 88", "line-length = 100", "toml")) is None


def test_a_part_of_an_edit_is_judged_by_itself(gate: Gate) -> None:
    """Together the edits leave the table as it was; alone one of them takes it away."""
    gate.put("pyproject.toml", '[tool.astedit]\nignore = ["x"]\n\n[tool.b]\nignore = ["x"]\n')
    ops = [
        {"pat": "tool.astedit", "out": "tool.b", "lang": "toml", "selector": "dotted_key",
         "context": "[tool.astedit]"},
        {"pat": "tool.b", "out": "tool.astedit", "lang": "toml", "selector": "dotted_key",
         "context": "[tool.b]"},
    ]  # fmt: skip
    plan = ast_edit(ops, root=gate.root)
    first = plan.files[0].edits[0].id
    with gate.session() as session:
        action = stage(plan, session).id
    assert gate.apply(action, only=[first]) == "approval_missing"
    assert gate.apply(action) is None


def test_through_a_link_it_is_the_same_file(gate: Gate) -> None:
    gate.put("conf/ours.toml", 'ignore = ["x.py"]\n')
    (gate.root / "astedit.toml").symlink_to("conf/ours.toml")
    assert gate.apply(gate.staged(*IGNORE)) == "approval_missing"


def test_the_user_s_own_file_counts_where_the_root_holds_it(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(gate.root / "config"))
    gate.put("config/astedit/config.toml", 'actor = "mia"\n')
    assert gate.apply(gate.staged('actor = "mia"', 'actor = "leo"', "toml")) == "approval_missing"


@pytest.mark.parametrize("relaxed", ["", 'human_paths = ["b.py"]\n', "now"])
def test_an_apply_is_judged_by_the_stricter_of_then_and_now(gate: Gate, relaxed: str) -> None:
    gate.put("a.py", "f(1)\n")
    strict = 'human_paths = ["a.py"]\n'
    gate.put("astedit.toml", "" if relaxed == "now" else strict)
    action = gate.staged("f($A)", "g($A)", "python")
    gate.put("astedit.toml", strict if relaxed == "now" else relaxed)
    assert gate.apply(action) == "approval_missing"
    gate.approve(action)
    assert gate.apply(action) is None


def test_a_policy_of_the_environment_holds_for_what_was_staged_under_it(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.put("a.py", "f(1)\n")
    monkeypatch.setenv("ASTEDIT_POLICY", "human")
    action = gate.staged("f($A)", "g($A)", "python")
    monkeypatch.delenv("ASTEDIT_POLICY")
    assert gate.apply(action) == "approval_missing"


# -- mutations ---------------------------------------------------------------------------------


def test_without_the_check_an_agent_relaxes_the_policy(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, approval.reserved, "subject.governing is not None", "False")
    gate.put("astedit.toml", 'human_paths = ["x.py"]\n')
    assert gate.apply(gate.staged(*HUMAN)) is None


def test_without_the_origin_what_was_staged_slips_through(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, approval.reserved, "subject.origin or settings", "settings")
    gate.put("a.py", "f(1)\n")
    gate.put("astedit.toml", 'human_paths = ["a.py"]\n')
    action = gate.staged("f($A)", "g($A)", "python")
    gate.put("astedit.toml", "")
    assert gate.apply(action) is None


def test_without_resolving_links_another_name_is_enough(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval, "_target", lambda workspace, name: name)
    gate.put("conf/ours.toml", 'ignore = ["x.py"]\n')
    (gate.root / "astedit.toml").symlink_to("conf/ours.toml")
    assert gate.apply(gate.staged(*IGNORE)) is None
