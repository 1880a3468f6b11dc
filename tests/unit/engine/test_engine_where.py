"""Conditions on captures, as the API and stored requests have them."""

from pathlib import Path
from typing import Any

import pytest

from astedit import ast_edit, search
from astedit.engine.fingerprint import request_part
from astedit.engine.request import request_of
from astedit.errors import RequestError
from astedit.model.request import EditRequest
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("f(1)\nf(x)\nf(x, 1)\n")
    return tmp_path


@pytest.mark.parametrize(("conditions", "texts"), ROWS["a search asks what captures"])
def test_a_search_asks_what_captures_are(
    root: Path, conditions: dict[str, Any], texts: list[str]
) -> None:
    assert [match.text for match in search("f($A)", root=root, **conditions).matches] == texts


def test_of_many_nodes_each_is_asked(root: Path) -> None:
    found = search("f($$$A)", root=root, where_kind={"A": "identifier"})
    assert [match.text for match in found.matches] == ["f(x)"]


@pytest.mark.parametrize("key", ["whereKind", "where_kind"])
def test_an_op_has_them_in_either_spelling(root: Path, key: str) -> None:
    op = {"pat": "f($A)", "out": "g($A)", key: {"A": "integer"}}
    (file,) = ast_edit(root=root, ops=[op]).files
    assert [edit.line for edit in file.edits] == [1]


@pytest.mark.parametrize(("more", "message"), ROWS["what is no condition is refused"])
def test_what_is_no_condition_is_refused(root: Path, more: dict[str, Any], message: str) -> None:
    op = {"pat": "f($A)", "out": "g($A)", **more}
    with pytest.raises(RequestError, match=message):
        ast_edit(root=root, ops=[{key: value for key, value in op.items() if value is not None}])


def test_a_rule_that_is_searched_for_has_constraints(root: Path) -> None:
    with pytest.raises(RequestError, match="where goes with a pattern"):
        search(rule={"kind": "call"}, where={"A": "x"}, root=root)


def test_a_request_without_conditions_has_the_fingerprint_it_had() -> None:
    def ops(**more: object) -> Any:
        return request_part(request_of({"ops": [{"pat": "f($A)", "out": "", **more}]}))["ops"]

    assert "where" not in ops()[0] and "whereKind" not in ops()[0]
    assert ops(where={"A": "x"}) != ops(where={"A": "y"}) != ops()


def test_a_request_goes_through_json() -> None:
    request = request_of({"ops": [{"pat": "f($A)", "out": "", "where": {"A": "x"}}]})
    data = {key: value for key, value in request.to_json().items() if key != "schema"}
    assert EditRequest.model_validate(data) == request
