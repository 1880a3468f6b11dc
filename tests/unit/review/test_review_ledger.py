"""The ledger: every place of a pattern's rarest name, and what became of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import astedit
from astedit.cli.output.review_summary import ledger_lines
from astedit.review.ledger.ledger import ledger, standing
from astedit.review.ledger.model import LedgerPlace, PlaceLedger
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

FILES = {
    "a.py": (
        '"""send"""\n'
        "import send  # send\n"
        "send(1)\n"
        "send(1, 2)\n"
        "x.send(3)\n"
        "send(send(4))\n"
        "resend(5); send_2(6)\n"
        "send(  # keep\n    7)\n"
    ),
    "b.md": "to send `send(1)`\n",
    "c.py": "é = 'é send'; send(1)\n",
    "d.js": "send(1)\n",
    "e.py": b"send(1)\0",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path


def account(tree: Path, ops: list[dict[str, str]], **options: str) -> PlaceLedger:
    plan = astedit.ast_edit(ops, root=str(tree), **options)
    with Workspace(str(tree)) as workspace:
        return ledger(plan, workspace, Config())


def places(found: PlaceLedger) -> Iterator[tuple[str, int, str]]:
    return ((place.path, place.line, place.outcome) for place in found.names[0].places)


def test_each_place_is_accounted_for(tree: Path) -> None:
    found = account(tree, [{"pat": "send($A)", "out": "post($A)"}], lang="python")
    assert list(places(found)) == [
        ("a.py", 1, "string"), ("a.py", 2, "near"), ("a.py", 2, "comment"),
        ("a.py", 3, "edited"), ("a.py", 4, "near"), ("a.py", 5, "near"),
        ("a.py", 6, "edited"), ("a.py", 6, "edited"), ("a.py", 8, "edited"),
        ("b.md", 1, "skipped"), ("b.md", 1, "skipped"),
        ("c.py", 1, "string"), ("c.py", 1, "edited"),
        ("d.js", 1, "skipped"), ("e.py", 1, "skipped"),
    ]  # fmt: skip
    by_line = {(place.path, place.line): place for place in found.names[0].places}
    assert "is more than the pattern names" in str(by_line["a.py", 4].why)
    assert "send($$$ARGS)" in str(by_line["a.py", 4].spelling)
    assert by_line["d.js", 1].why == "javascript, which is not looked at"
    assert by_line["c.py", 1].column == 15
    assert found.names[0].counts["edited"] == 5
    assert sum(found.names[0].counts.values()) == len(found.names[0].places)


def test_what_is_blocked_or_changed_says_why(tree: Path) -> None:
    (tree / "a.py").write_text("send(1,  # why\n     2)\nsend(3, 4)\n")
    plan = astedit.ast_edit([{"pat": "send($A, $B)", "out": "f'{$A} {$B}'"}], root=str(tree))
    assert plan.blocked
    (tree / "c.py").write_text("send(1, 2)  # another\n")
    with Workspace(str(tree)) as workspace:
        found = ledger(plan, workspace, Config())
    outcomes = {(place.path, place.line): place for place in found.names[0].places}
    assert outcomes["a.py", 1].outcome == "blocked" and outcomes["a.py", 1].why
    assert outcomes["a.py", 3].outcome == "edited"


def test_the_rarest_of_the_names_counts_and_a_pattern_may_have_none(tree: Path) -> None:
    (tree / "f.py").write_text("rare.send(1)\n$1\n")
    ops = [{"pat": "rare.send($A)", "out": "x($A)"}, {"pat": "$A + $B", "out": "$B + $A"}]
    found = account(tree, ops, lang="python")
    assert [(each.name, len(each.places)) for each in found.names] == [("rare", 1)]
    assert found.nameless == ["$A + $B"]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("foo foo_ _foo foo1 foo", [0, 19]),
        ("éfoo foo é.foo", [6, 13]),
        ("$foo->foo", [1, 6]),
        ("", []),
    ],
)
def test_words_are_those_of_ripgrep(text: str, starts: list[int]) -> None:
    assert standing("foo", text.encode()) == starts


def test_as_text_alike_places_stand_together_and_nothing_steers_the_terminal(tree: Path) -> None:
    found = account(tree, [{"pat": "send($A)", "out": "post($A)"}], lang="python")
    found.names[0].places.append(LedgerPlace("x\x1b.py", 1, 1, "near", "\x1b[2J"))
    found.names[0].count()
    text = "\n".join(ledger_lines(found))
    assert text.startswith("send($A): `send` stands at 16 places in 6 files\n      5  edited\n")
    assert "\x1b" not in text and "x\\x1b.py" in text
