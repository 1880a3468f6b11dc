"""Records cross to another process as plain data, and come back as they were."""

import marshal
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from astedit.engine.files.outcome import BlockedData, EditData, FileData, LostData, SpanData
from astedit.model.request import EditRequest, Op, Operation, Region
from astedit.workers.plain import plain, restored

SPAN = SpanData(1, 2, 3, 4)
OUTCOME = FileData(
    read=9,
    parsed=True,
    edits=(EditData(0, 1, 2, 3, 4, b"a", b"b", 1, "utf-8"),),
    blocked=(BlockedData(SPAN, None, "loss", (LostData(SPAN, b"# why"),)),),
    matches=({"text": "a"},),
)
REQUEST = EditRequest(
    ops=[Op("a", "b")],
    operation=Operation("rename", {"to": "b"}),
    regions=[Region("a.py#f", "a.py", "00", 1, 2)],
)


@pytest.mark.parametrize("record", [OUTCOME, REQUEST, EditRequest(), SPAN])
def test_a_record_comes_back_as_it_was(record: object) -> None:
    data = marshal.loads(marshal.dumps(plain(record)))  # refuses what is not plain
    assert restored(type(record), data) == record
    assert repr(restored(type(record), data)) == repr(record)


def test_nested_records_come_back_as_records() -> None:
    again = restored(FileData, OUTCOME.plain())
    assert again.edits[0].change == (1, 2, b"b")
    assert again.blocked[0].lost[0].span.line == 3


def test_a_file_in_which_nothing_can_match_is_short() -> None:
    idle = FileData(read=9, searched=True)
    assert idle.plain() == (9, True, False)
    assert restored(FileData, idle.plain()) == idle


class Point(NamedTuple):
    """A record in records."""

    x: int


@dataclass
class Chart:
    """Every container that may hold records."""

    listed: list[Point] = field(default_factory=list)
    named: dict[str, Point] = field(default_factory=dict)
    best: Point | None = None
    rows: tuple[tuple[int, bytes], ...] = ()


def test_every_container_may_hold_records() -> None:
    chart = Chart([Point(1)], {"a": Point(2)}, Point(3), ((1, b"x"),))
    assert plain(chart) == ([(1,)], {"a": (2,)}, (3,), ((1, b"x"),))
    assert repr(restored(Chart, plain(chart))) == repr(chart)


@dataclass
class Leaf:
    """A kind of node with the fields of another kind."""

    value: "Leaf | Branch | None"


@dataclass
class Branch:
    """Another kind, which holds nodes of either."""

    value: "Leaf | Branch | None"
    more: "tuple[Leaf | Branch | None, ...]" = ()


def test_a_record_of_several_kinds_comes_back_as_its_own() -> None:
    branch = Branch(Leaf(None), (None, Branch(None), Leaf(Branch(None))))
    assert plain(Leaf(Branch(None))) == ((1, None, ()),)
    assert restored(Branch, marshal.loads(marshal.dumps(plain(branch)))) == branch


@dataclass
class Pair:
    """A field that cannot cross: which item is a record is not said in a way that is read."""

    both: tuple[Point, int]


def test_what_cannot_cross_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot cross"):
        plain(Pair((Point(1), 2)))
