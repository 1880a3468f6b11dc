"""What files say about names is kept: the same plans as without it, never an old one."""

from pathlib import Path

import pytest

from astedit import operations
from astedit.engine.run_context import Run
from astedit.facts import reading, store
from astedit.facts.store import FILE, FactStore
from astedit.model.plan import Plan
from astedit.operations.rename import RenameParameters
from astedit.python import reader
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace
from tests.support.database import opened

MODULES = {
    "pkg/__init__.py": "from pkg.base import *\n",
    "pkg/base.py": "class Base:\n    def run(self): ...\nclass Other:\n    def run(self): ...\n",
    "pkg/made.py": "from pkg import Base\n\n\ndef make() -> Base:\n    return Base()\n",
    "use.py": "from pkg.made import make\n\nmake().run()\nunknown.run()\n",
    "broken.py": "def run(:\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "WORTH", 1)
    for path, text in MODULES.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text(text)
    return tmp_path


def planned(place: Path, new: str = "start", *, kept: bool = True) -> Plan:
    state = str(place / "state") if kept else None
    with Workspace(place / "tree") as workspace:
        values = RenameParameters("pkg/base.py::Base.run", new)
        request = operations.operation("rename").locate(values, operations.Lookup(workspace))
        return preview(request, workspace, Run(inline=True, state=state))


def said(plan: Plan) -> tuple[object, ...]:
    """All that a plan says of the tree."""
    return plan.fingerprint, plan.hints, [skip.to_json() for skip in plan.skipped]


def modules_read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The texts that are read as Python from now on."""
    texts: list[bytes] = []
    plain = reader.read

    def noted(text: bytes, old: str, new: str | None) -> object:
        texts.append(text)
        return plain(text, old, new)

    monkeypatch.setattr(reader, "read", noted)
    return texts


def test_the_second_plan_is_the_first_and_reads_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = said(planned(place, kept=False))
    assert said(planned(place)) == plain
    texts = modules_read(monkeypatch)
    assert said(planned(place)) == plain
    assert texts == []


def test_another_name_reads_only_the_modules_that_hold_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(place)
    plain = said(planned(place, "begin", kept=False))
    texts = modules_read(monkeypatch)
    assert said(planned(place, "begin")) == plain
    assert all(b"run" in text for text in texts)
    assert texts


def test_a_changed_module_alone_is_read_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(place)
    (place / "tree/use.py").write_text(MODULES["use.py"].replace("make().run", "make( ).run"))
    texts = modules_read(monkeypatch)
    assert said(planned(place)) == said(planned(place, kept=False))
    assert texts[0] == (place / "tree/use.py").read_bytes()


@pytest.mark.parametrize("damage", [b"", b"no database at all " * 300, b"half", b"row", b"version"])
def test_a_damaged_store_costs_time_only(
    place: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    plain = said(planned(place))
    file = place / "state" / FILE
    if damage == b"row":
        with opened(file) as connection:
            connection.execute("UPDATE facts SET data = (SELECT max(data) FROM facts)")
    elif damage == b"version":
        monkeypatch.setattr(store, "_FORMAT", store._FORMAT + 1)
    else:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage == b"half" else damage)
    store.store_in.cache_clear()
    again, third = planned(place), planned(place)
    told = [hint for hint in again.hints if "could not be kept" in hint]
    assert len(told) == (damage not in (b"", b"row", b"version"))
    again.hints = [hint for hint in again.hints if hint not in told]
    assert said(again) == said(third) == plain


def test_where_nothing_can_be_kept_that_is_said_once(place: Path) -> None:
    (place / "state").write_text("a file where the directory would be")
    plain = planned(place, kept=False)
    first, second = planned(place), planned(place)
    assert said(second) == said(plain)
    assert first.hints[:-1] == plain.hints
    assert "could not be kept" in first.hints[-1]


def test_nobody_else_may_read_it_and_it_holds_no_code(place: Path) -> None:
    planned(place)
    file = place / "state" / FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"return Base()" not in file.read_bytes()


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LIMIT", 300_000)
    kept, rows = FactStore(str(tmp_path)), {str(n): bytes(9_000) for n in range(20)}
    monkeypatch.setattr(store, "_today", lambda: 1)
    kept.keep(rows)
    monkeypatch.setattr(store, "_today", lambda: 2)
    assert kept.known(["0"]) == {"0": bytes(9_000)}
    kept.keep({f"new {number}": bytes(9_000) for number in range(20)})
    left = kept.known([*rows, *(f"new {number}" for number in range(20))])
    assert {"0", "new 19"} <= left.keys()
    assert not {"1", "2"} & left.keys()
    assert (tmp_path / FILE).stat().st_size < 400_000
