"""A program's open workspace: staged where every surface sees it, decided by who reads it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest

import astedit
from astedit import PreconditionError, RequestError, StaleError, Work
from resolve import SessionBusy
from tests.support.agent import Workspace

OPS = [{"pat": "f($$$A)", "out": "g($$$A)"}]
TAGS = {"p", "table", "tr", "th", "td", "code", "details", "summary", "pre"}
RULE = "id: no-f\nlanguage: python\nseverity: error\nmessage: no $A\nrule: {pattern: f($A)}\n"


@pytest.fixture
def files(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path).write("a.py", "f(1)\nx = 2\n").write("sub/b.py", "h(f(2))\n")


@pytest.fixture
def work(files: Workspace) -> Iterator[Work]:
    with astedit.open(files.root, state_dir=files.state) as opened:
        yield opened


def command(files: Workspace, *words: str) -> str:
    place = ["--root", str(files.root), "--state-dir", str(files.state)]
    done = subprocess.run(
        [sys.executable, "-m", "astedit", *words, *place],
        capture_output=True,
        text=True,
        env=files.environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_plan_is_seen_by_the_command_line_applied_and_undone(
    files: Workspace, work: Work
) -> None:
    before = files.files()
    plan = work.edit(ops=OPS, paths=["."])
    assert files.files() == before and plan.total_replacements == 2
    (row,) = json.loads(command(files, "pending", "--json"))
    assert row["id"] == plan.action_id
    assert [action.id for action in work.pending()] == [plan.action_id]
    result = plan.apply("reviewed")
    assert plan.applied and result.text.startswith(f"Applied {plan.action_id}")
    assert files.read("sub/b.py") == "h(g(2))\n" and work.pending() == []
    assert "reviewed" in command(files, "log")
    back = work.undo(str(plan.action_id))
    assert "+f(1)" in back.diff() and files.read("a.py") == "g(1)\nx = 2\n"
    back.apply("not wanted")
    assert files.files() == before
    assert [row.reason for row in work.log() if row.reason][:2] == ["not wanted", "reviewed"]


def test_a_part_is_applied_and_a_discard_changes_nothing(files: Workspace, work: Work) -> None:
    with pytest.raises(RequestError, match="Unknown policy"):
        astedit.open(work.root, policy="agnet")  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="`only` is not a list or None"):
        work.edit(OPS).apply("a part", only="sub/**")
    work.edit(OPS).apply("a part", only=["sub/**"])
    assert (files.read("a.py"), files.read("sub/b.py")) == ("f(1)\nx = 2\n", "h(g(2))\n")
    plan = work.edit(OPS)
    plan.discard("no")
    assert files.read("a.py") == "f(1)\nx = 2\n" and not plan.applied
    with pytest.raises(PreconditionError) as raised:
        plan.apply("after all")
    assert raised.value.code == "already_resolved"


def test_a_stale_plan_is_refused_with_nothing_written(files: Workspace, work: Work) -> None:
    plan = work.edit(OPS)
    files.write("a.py", "f(3)\n")
    before = files.files()
    with pytest.raises(StaleError) as raised:
        plan.apply("reviewed")
    assert raised.value.code == "stale" and "a.py" in str(raised.value)
    assert files.files() == before and [one.id for one in work.pending()] == [plan.action_id]


def test_a_plan_that_replaces_nothing_is_not_staged_and_says_so(work: Work) -> None:
    plan = work.edit([{"pat": "nowhere($A)", "out": "x"}])
    assert plan.action_id is None and work.pending() == []
    with pytest.raises(PreconditionError) as raised:
        plan.apply("why not")
    assert raised.value.code == "nothing_staged"


@pytest.mark.slow
def test_names_paths_rules_and_codemods(files: Workspace, work: Work) -> None:
    files.write("shop.py", "def total(): ...\n").write("use.py", "import shop\nshop.total()\n")
    work.rename("shop.total", "amount").apply("renamed")
    assert files.read("use.py") == "import shop\nshop.amount()\n"
    node = work.locate("shop.amount").node
    assert node is not None and node.path == "shop.py"
    files.write("web.py", "import flask\napp = flask.Flask('x')\n@app.get('/a')\ndef f(): ...\n")
    work.set_path("GET /a", "/b").apply("moved")
    assert "'/b'" in files.read("web.py")
    assert [(each.file, each.rule_id, each.message) for each in work.scan(RULE).findings] == [
        ("a.py", "no-f", "no 1"),
        ("sub/b.py", "no-f", "no 2"),
    ]
    named = {"quotes": "libcst.codemod.commands.noop:NOOPCommand"}
    assert work.codemod("quotes", codemods=named).total_replacements == 0
    with pytest.raises(PreconditionError):
        work.codemod("unknown")


def test_the_rules_of_the_project_are_scanned_without_naming_them(
    files: Workspace, work: Work
) -> None:
    with pytest.raises(PreconditionError) as raised:
        work.scan()
    assert raised.value.code == "no_project"
    files.write("sgconfig.yml", "ruleDirs: [rules]\n").write("rules/no-f.yml", RULE)
    assert len(work.scan().findings) == 2 == len(astedit.scan(root=files.root).findings)


def test_policy_human_wants_a_person(files: Workspace) -> None:
    with astedit.open(files.root, policy="human", state_dir=files.state) as work:
        plan = work.edit(OPS)
        with pytest.raises(PreconditionError) as raised:
            plan.apply("reviewed")
        assert raised.value.code == "approval_missing"
        assert files.read("a.py") == "f(1)\nx = 2\n"


def test_threads_stage_side_by_side(files: Workspace, work: Work) -> None:
    with ThreadPoolExecutor(4) as pool:
        plans = list(pool.map(lambda path: work.edit(OPS, [path]), ["a.py", "sub/b.py"] * 4))
    assert {plan.action_id for plan in plans} == {action.id for action in work.pending()}


def test_one_small_file_starts_no_worker(files: Workspace) -> None:
    script = (
        "import astedit, os, subprocess, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda name, args: started.append(name) if name in "
        "('subprocess.Popen', 'os.posix_spawn', 'os.fork', 'os.exec') else None)\n"
        f"with astedit.open({str(files.root)!r}, state_dir={str(files.state)!r}) as work:\n"
        f"    plan = work.edit({OPS!r}, 'a.py')\n"
        "assert plan.total_replacements == 1\n"
        "print(started)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=files.environment()
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_recorded_session_is_one_process_s_and_is_found_again(files: Workspace) -> None:
    with astedit.open(files.root, state_dir=files.state, session_id="talk") as work:
        plan = work.edit(OPS)
        with pytest.raises(SessionBusy):
            astedit.open(files.root, state_dir=files.state, session_id="talk")
    with astedit.open(files.root, state_dir=files.state, session_id="talk") as work:
        assert [action.id for action in work.pending()] == [plan.action_id]
        assert work.session_id == "talk"
        work.resolve("apply", str(plan.action_id), "found again")
    assert files.read("a.py") == "g(1)\nx = 2\n"


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(RequestError):
        astedit.open(tmp_path / "nowhere")
    with pytest.raises(RequestError):
        astedit.open(tmp_path, state_dir=tmp_path / "inside")


class Tags(HTMLParser):
    """The tags of a text, and its data."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[object] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_text_and_runs_nothing(files: Workspace, work: Work) -> None:
    hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e"
    files.write("a.py", f'f("{hostile}")\n')
    plan, result = work.edit(OPS, ["a.py"]), work.search("f($A)", ["a.py"])
    assert repr(plan) == f"<Plan {plan.action_id}: 1 replacement in 1 file>"
    assert repr(result) == "<SearchResult: 1 match in 1 file>"
    assert repr(result.matches[0]) == "<Match a.py:1:1>"
    rule = "{id: no-f, language: python, rule: {pattern: f($A)}, message: $A}"
    scanned = work.scan(rule, ["a.py"])
    assert repr(scanned) == "<ScanResult: 1 finding in 1 file>"
    for shown in (plan, result, result.matches[0], scanned):
        html = shown._repr_html_()
        seen = Tags()
        seen.feed(html)
        assert seen.tags <= TAGS
        assert seen.attributes == [] and "<script>alert(1)</script>" in seen.text
        assert "\x1b" not in html and "\u202e" not in html
