"""What workers answer, what the ledger holds and what a campaign's file says is not believed."""

import base64
import json
import random
import zlib
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from astedit.campaign import repository as answers
from astedit.campaign.drive import plan
from astedit.campaign.file import Campaign
from astedit.campaign.ledger import Ledger
from astedit.cli.commands.campaign import Repositories
from astedit.model.request import EditRequest, Op
from astedit.staging import stored
from tests.support.faults.mutate import replace
from tests.support.project import Project
from tests.support.slowly import slow_after

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    root = tmp_path / "svc/a"
    root.mkdir(parents=True)
    (root / "m.py").write_text("old(1)\nsecret(2)\n")
    request = EditRequest(ops=[Op(pat="old($A)", out="old(f($A))")])
    return Campaign(str(tmp_path / "c.yml"), "c", [str(root)], request)


class Liar(Executor):
    """A worker that does its work, and answers something else."""

    def __init__(self, change: Change) -> None:
        self._change = change

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self._change(fn(*args, **kwargs)))
        return future


def body(change: Callable[[dict[str, Any]], None]) -> Change:
    """Changes what is packed in the answer's plan."""

    def changed(answer: dict[str, Any]) -> dict[str, Any]:
        packed = json.loads(zlib.decompress(base64.b64decode(answer["plan"]["plan"])))
        change(packed)
        text = base64.b64encode(zlib.compress(json.dumps(packed).encode())).decode()
        return {**answer, "plan": {**answer["plan"], "plan": text}}

    return changed


def other_op(packed: dict[str, Any]) -> None:
    packed["request"]["ops"][0]["pat"] = "secret($A)"


def protected(packed: dict[str, Any]) -> None:
    packed["request"]["allow_protected"] = True


def wider(packed: dict[str, Any]) -> None:
    packed["request"]["no_ignore"] = ["vcs"]


def region(packed: dict[str, Any]) -> None:
    region = {"id": "m", "path": "m.py", "start": 0, "end": 3, "sha256": "0" * 64}
    packed["request"]["regions"] = [region]


def left_out(packed: dict[str, Any]) -> None:
    packed["request"]["left_out"] = ["m.py"]


def other_text(packed: dict[str, Any]) -> None:
    packed["files"][0][6][0][8] = "evil"


def other_file(packed: dict[str, Any]) -> None:
    packed["files"][0][0] = "../outside.py"


def no_hints(packed: dict[str, Any]) -> None:
    packed["hints"] = None


def elsewhere(packed: dict[str, Any]) -> None:
    packed["root"] = "/"


def staged(campaign: Campaign, tmp_path: Path, executor: Executor) -> tuple[str, str | None]:
    """What the row of the one repository says afterwards; nothing may be staged."""
    with Ledger(str(tmp_path / "ledger"), campaign, alone=True) as ledger:
        plan(campaign, ledger, executor, Repositories(str(tmp_path / "state")))
        row = ledger.row(campaign.roots[0])
    return row.state, (row.error or {}).get("code")


def test_an_honest_answer_is_staged(campaign: Campaign, tmp_path: Path) -> None:
    assert staged(campaign, tmp_path, Liar(lambda answer: answer)) == ("pending", None)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (other_op, "other_request"),
        (protected, "other_request"),
        (wider, "other_request"),
        (region, "other_request"),
        (left_out, "other_request"),
        (other_text, "tampered"),
        (other_file, "tampered"),
        (elsewhere, "other_root"),
        (no_hints, "bad_answer"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_plan_of_anything_else_is_not_staged(
    campaign: Campaign, tmp_path: Path, change: Callable[[dict[str, Any]], None], code: str
) -> None:
    assert staged(campaign, tmp_path, Liar(body(change))) == ("failed", code)


class Mistaken(Executor):
    """A worker that plans another request than it was asked for, and says so."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = json.loads(json.dumps(args[0]).replace("old($A)", "secret($A)", 1))
        future: Future[Any] = Future()
        future.set_result(fn(task))
        return future


def test_without_the_comparison_of_requests_it_would_be(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert staged(campaign, tmp_path / "sound", Mistaken()) == ("failed", "other_request")
    check = "_question(plan.request) != _question(_complete(request, root))"
    replace(monkeypatch, answers.plan_of, check, "False")
    assert staged(campaign, tmp_path / "mutant", Mistaken())[0] == "pending"


def test_without_the_fingerprint_it_would_be(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = "fingerprint(plan.request, plan.files, grammars) != plan.fingerprint"
    replace(monkeypatch, stored.check_genuine, check, "False")
    assert staged(campaign, tmp_path, Liar(body(other_text)))[0] == "pending"


@slow_after(
    3,
    "answer",
    [
        None,
        [],
        "plan",
        {},
        {"plan": None, "version": "1"},
        {"plan": {}},
        {"version": [], "plan": {"v": 1, "plan": "", "fingerprint": "x"}},
        {"error": None},
        {"error": {"message": 1}},
        {"error": {"message": "\x1b[2J", "code": ["x"], "hint": {}, "path": 1}},
    ],
)
def test_what_is_no_answer_is_that_repository_s_error(
    campaign: Campaign, tmp_path: Path, answer: object
) -> None:
    state, code = staged(campaign, tmp_path, Liar(lambda _: answer))
    assert state == "failed" and code in ("bad_answer", "damaged", None)


@pytest.mark.slow
def test_random_damage_of_an_answer_is_never_staged(campaign: Campaign, tmp_path: Path) -> None:
    by = random.Random(7)

    def damaged(packed: dict[str, Any]) -> None:
        key = by.choice(list(packed))
        packed[key] = by.choice([None, 0, "x", [], {}, [[]], [None], {"a": 1}, -1, True])

    for _ in range(25):
        state, code = staged(campaign, tmp_path, Liar(body(damaged)))
        assert state in ("failed", "pending"), code
        if state == "pending":  # what was damaged is no part of what is applied
            break


@pytest.fixture
def svc(project: Project) -> Path:
    place = project.root.parent / "svc/a"
    place.mkdir(parents=True)
    (place / "m.py").write_text("old(1)\n")
    project.put("c.yml", "repositories: [../svc/*]\nops: [{pat: old($A), out: new($A)}]\n")
    return place


NOTES = [
    *("", "null", "[]", '"x"', "{", '{"root": 1}', '{"root": "/elsewhere"}', "[" * 100_000),
    *('{"root": "ROOT", "state": "applied", "action_id": 7}', '{"root": "ROOT", "state": "x"}'),
    *(
        '{"root": "ROOT", "error": 3}',
        '{"root": "ROOT", "files": "many"}',
        '{"root": "ROOT", "x": 1}',
    ),
]


@slow_after(4, "note", NOTES)
def test_a_damaged_note_of_the_ledger_costs_nothing(project: Project, svc: Path, note: str) -> None:
    assert project("campaign", "c.yml", "--jobs", "1").code == 0
    (ledger,) = (project.state / "campaigns").glob("*/state.db")
    from resolve import SqliteStore

    with SqliteStore(ledger) as store:
        from astedit.campaign.ledger import _key

        store.set_meta(_key(str(svc)), note.replace("ROOT", str(svc)))
    done = project("campaign", "c.yml", "--status", "--json")
    assert (done.code, done.json["repositories"][0]["state"]) == (0, "pending")
    assert project("campaign", "c.yml", "apply", "--reason", "t").code == 0
    assert (svc / "m.py").read_text() == "new(1)\n"


FILES = [
    *("\0", "\xff\xfe", "[" * 3_000, "a: " * 2_000, "repositories: [../svc/*]\nops: 1\n", "? ? ?"),
    "repositories: ['../svc/a', '../../../../etc']\nops: [{pat: a, out: b}]\n",
    "repositories: ['\\0']\nops: [{pat: a, out: b}]\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\ntimeout: -1\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\ntimeout: .nan\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\njobs: 0\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\nexpect: {files: x}\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\npaths: ['../../..']\n",
    "repositories: [../svc/*]\nops: [{pat: a, out: b}]\nname: [1]\n",
    "repositories: " + "[" + "'../svc/*', " * 5_000 + "]\nops: [{pat: a, out: b}]\n",
]


@pytest.mark.parametrize("text", FILES)
def test_a_hostile_file_is_an_error_and_nothing_else(
    project: Project, svc: Path, text: str
) -> None:
    project.put("c.yml", text.encode("latin-1"))
    done = project("campaign", "c.yml", "--jobs", "1", "--json")
    assert done.code in (0, 1, 2, 3, 4)
    assert "Traceback" not in done.err
    assert (svc / "m.py").read_text() == "old(1)\n"
