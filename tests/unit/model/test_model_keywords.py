"""A field of the request that callers may set is one everywhere, and nothing else is."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import pytest

import astedit
from astedit import Work, ast_edit, search
from astedit.agents.tools.specs import spec
from astedit.cli.commands import edit, scan
from astedit.cli.commands import search as search_command
from astedit.errors import RequestError
from astedit.json_model import camel
from astedit.model.request import OPTIONS, EditOptions, EditRequest, SearchOptions
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))
EDITING = EditRequest.options(EditOptions)
SEARCHING = EditRequest.options(SearchOptions)
# What only our own commands and rule projects put into a request.
OURS = {
    "ops", "paths", "rules", "utils", "left_out", "regions", "kept", "format_with", "operation",
    "suppressions", "language_globs", "injections", "own_edits",
}  # fmt: skip


def test_the_options_are_the_fields_of_a_request() -> None:
    assert {one.name for one in fields(EditRequest)} - OURS == set(EDITING)
    assert set(EditOptions.__annotations__) == set(EDITING) == set(OPTIONS)
    assert set(SearchOptions.__annotations__) == set(SEARCHING) < set(EDITING)


@pytest.mark.parametrize("name", EDITING)
def test_an_option_takes_what_its_field_holds(name: str) -> None:
    """A list may also come as any iterable of texts, or as one text."""
    field, option = EditRequest.declared(name).type, get_type_hints(EditOptions)[name]
    listed = get_origin(field) is list
    mapped = get_origin(field) is dict and field in get_args(option)
    assert option == field or mapped or (listed and str in get_args(option))


TAKING = [(ast_edit, EDITING), (search, SEARCHING), (Work.edit, EDITING), (Work.scan, SEARCHING)]


@pytest.mark.parametrize(("function", "names"), TAKING)
def test_the_functions_take_and_show_them(function: Callable[..., Any], names: list[str]) -> None:
    shown = inspect.signature(function).parameters
    rows = (function.__doc__ or "").partition("\nOptions:\n")[2].splitlines()
    assert rows == [f"    {name}: {OPTIONS[name]}" for name in names]
    assert set(EDITING) & set(shown) == set(names)
    for name in names:
        default = getattr(EditRequest(), name)
        assert shown[name].default == ({"[]": (), "{}": ()}.get(str(default), default))


@pytest.mark.parametrize(("function", "name"), [(ast_edit, "nope"), (search, "overlap")])
def test_any_other_keyword_is_refused(
    function: Callable[..., Any], name: str, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=rf"^got an unexpected keyword argument '{name}'"):
        function(root=tmp_path, **{name: "error"})


@pytest.mark.parametrize(("tool", "names"), [("ast_edit", EDITING), ("ast_grep", SEARCHING)])
def test_the_tools_of_agents_take_them(tool: str, names: list[str]) -> None:
    """But for what only a person may ask for."""
    known = spec(tool).schema["properties"].keys()
    assert set(map(camel, names)) - {"allowProtected", "near"} <= known
    assert "allowProtected" not in known


@pytest.mark.parametrize(
    ("command", "names"),
    [(edit.command, EDITING), (scan.command, EDITING), (search_command.command, SEARCHING)],
)
def test_the_command_line_has_a_flag_for_each(command: click.Command, names: list[str]) -> None:
    flags = {one.name: one for one in command.params if isinstance(one, click.Option)}
    rules = (
        {"strictness", "selector", "context", "no_near", "near"}
        if command is scan.command
        else set()
    )
    if command is scan.command:
        rules |= {"params"}  # as --set
    if command is edit.command:
        rules = {"params", "max_events"}  # of rules that cause rules
    apart = {"lang", "selector", "context"}  # said of one of several patterns, they are its own
    for name in set(names) - rules:
        flag, field = flags[name], EditRequest.declared(name)
        assert flag.help
        assert flag.is_flag == (field.type is bool)
        own = command is edit.command and name in apart
        assert flag.multiple == (own or get_origin(field.type) is list)
        if get_origin(field.type) is Literal:
            assert isinstance(flag.type, click.Choice)
            assert tuple(flag.type.choices) == get_args(field.type)


@pytest.mark.parametrize("glob", ["*.py", ["*.py"], ("*.py",), iter(["*.py"])])
def test_one_text_is_a_list_of_one(glob: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    (tmp_path / "b.js").write_text("f(1)\n")
    plan = ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=tmp_path, glob=glob)
    assert [file.path for file in plan.files] == ["a.py"]
    assert ast_edit([{"pat": "f($A)", "out": "g"}], root=tmp_path, glob=None).files_touched == 2


@pytest.mark.parametrize(("name", "call", "why"), ROWS["what is of another type is refused"])
def test_what_is_of_another_type_is_refused(
    name: str, call: dict[str, Any], why: str, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("def f(x): return x\n\n\nprint(f(1))\n")
    with pytest.raises(RequestError, match=why) as refused:
        getattr(astedit, name)(**{"root": tmp_path} | call)
    assert refused.value.hint or "negative" in why


def test_what_only_our_commands_set_is_no_keyword(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        ast_edit([], root=tmp_path, operation="rename")  # type: ignore[call-arg]
    with pytest.raises(RequestError):
        ast_edit([{"pat": "f($A)", "out": "g"}], root=tmp_path, body_only=True)
