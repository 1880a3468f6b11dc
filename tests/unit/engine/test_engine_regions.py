"""A request that is restricted to a region: what counts as inside, and as the same file."""

import hashlib
from pathlib import Path

import pytest

from astedit.engine.files.editable import check_regions, holds, moved, outside, spans_of
from astedit.errors import RequestError, StaleError
from astedit.model.request import EditRequest, Region
from astedit.workspace.root import Workspace


def test_a_match_is_inside_from_its_first_byte_to_its_last() -> None:
    assert holds([(3, 9)], 3, 9) and holds(None, 0, 99)
    assert not holds([(3, 9)], 2, 5) and not holds([(3, 9)], 5, 10)
    assert outside([(4, 5, b""), (8, 10, b"x")], [(3, 9)])
    assert not outside([(4, 5, b"xxx")], [(3, 9)])


def test_a_region_grows_with_what_is_written_in_it() -> None:
    assert moved([(3, 9)], [(3, 3, b"ab"), (5, 6, b""), (9, 9, b"z")]) == [(3, 11)]
    assert moved([(3, 9), (20, 30)], [(4, 5, b"12345"), (21, 22, b"")]) == [(3, 13), (24, 33)]
    assert moved(None, [(1, 2, b"")]) is None


def test_regions_are_those_of_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"f(1)\n")
    digest = hashlib.sha256(b"f(1)\n").hexdigest()
    request = EditRequest(regions=[Region("sym:a.py::x", "a.py", digest, 0, 4)])
    assert spans_of(request, "a.py") == [(0, 4)]
    assert spans_of(request, "b.py") == []
    assert spans_of(EditRequest(), "a.py") is None
    with Workspace(tmp_path) as workspace:
        check_regions(request, workspace)
        (tmp_path / "a.py").write_bytes(b"f(2)\n")
        with pytest.raises(StaleError, match="has changed"):
            check_regions(request, workspace)
        (tmp_path / "a.py").unlink()
        with pytest.raises(StaleError, match="cannot be read"):
            check_regions(request, workspace)
    assert EditRequest.restored({"ops": [], "regions": [vars_of(request.regions[0])]}) == request


def test_a_name_that_nobody_located_is_not_ignored(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(RequestError, match="within"):
        check_regions(EditRequest(within="f"), workspace)


def vars_of(region: Region) -> dict[str, object]:
    return {name: getattr(region, name) for name in ("id", "path", "sha256", "start", "end")}
