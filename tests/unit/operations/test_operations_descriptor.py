"""Operations: the table is closed, and a rename says all that it needs to be run again."""

from hashlib import sha256
from pathlib import Path

import pytest

from astedit.engine.run_context import Run
from astedit.errors import AstEditError, PreconditionError
from astedit.model.request import EditRequest, Operation
from astedit.operations import title
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace
from tests.support.lists import rows
from tests.support.requests import request_of

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("kind", "arguments", "expected"), ROWS["a plan is named by what it does"])
def test_a_plan_is_named_by_what_it_does(
    kind: str, arguments: dict[str, str], expected: str
) -> None:
    assert EditRequest(ops=[], operation=Operation(kind, arguments)).title == expected


def test_a_plain_rule_is_named_by_its_fix() -> None:
    rule = {"id": "np", "rule": {"pattern": "foo($A)"}, "fix": "bar($A)"}
    assert EditRequest(ops=[], rules=[rule]).title == "np: foo($A) → bar($A)"
    assert EditRequest(ops=[], rules=[rule | {"fix": {}}]).title == "1 rule: np"


def test_an_unknown_kind_is_refused_and_the_known_ones_are_named(tmp_path: Path) -> None:
    request = EditRequest(ops=[], operation=Operation("shout", {}))
    with Workspace(tmp_path) as workspace, pytest.raises(PreconditionError) as refused:
        preview(request, workspace, Run(inline=True))
    assert refused.value.code == "unknown_operation"
    assert "'shout'" in refused.value.message
    assert "inline, move, move_module" in str(refused.value.hint)


def located(root: Path, text: str, identifier: str, **options: bool) -> Operation:
    """The operation that renames what an identifier names to `new`, in one Python file."""
    (root / "a.py").write_text(text)
    with Workspace(root) as workspace:
        request = request_of("rename", workspace, identifier, "new", **options)
    assert request.operation is not None
    return request.operation


def test_a_rename_says_all_that_is_needed_to_run_it_again(tmp_path: Path) -> None:
    text = "class A:\n    def go(self): ...\n"
    operation = located(tmp_path, text, "A.go")
    assert operation.kind == "rename"
    region = f"{text.index('def')}:{len(text) - 1}"
    assert operation.arguments == {
        "id": "sym:a.py::A.go",
        "new": "new",
        "path": "a.py",
        "name": "A.go",
        "hash": sha256(text.encode()).hexdigest(),
        "region": region,
    }
    assert title(operation) == "rename: sym:a.py::A.go -> new"
    allowed = located(tmp_path, text, "A.go", allow_syntactic=True)
    assert allowed.arguments["allow_syntactic"] == "yes"


def test_a_property_and_its_setter_are_one_name(tmp_path: Path) -> None:
    text = (
        "class A:\n    @property\n    def size(self): ...\n\n"
        "    @size.setter\n    def size(self, value): ...\n"
    )
    assert located(tmp_path, text, "a.py::A.size").arguments["name"] == "A.size"


def test_a_parameter_is_renamed_in_its_function(tmp_path: Path) -> None:
    assert located(tmp_path, "def f(size): ...\n", "a.py::f.size").arguments["name"] == "f.size"


@pytest.mark.parametrize(
    ("identifier", "code"),
    [("a.py::gone", "not_found"), ("", "bad_identifier"), ("f", "ambiguous")],
)
def test_what_names_no_symbol_or_several_is_refused(
    tmp_path: Path, identifier: str, code: str
) -> None:
    (tmp_path / "b.py").write_text("def f(): ...\n")
    with pytest.raises(AstEditError) as refused:
        located(tmp_path, "def f(): ...\n", identifier)
    assert refused.value.code == code
