"""What one module's facts hold, and that they cross to another process as they are."""

import marshal
from typing import get_args

import pytest

from astedit.python.expression import (
    BoundName,
    BuiltinValue,
    CallResult,
    ContainerOf,
    ElementOf,
    Expression,
    GenericAnnotation,
    Imported,
    InstanceOf,
    MemberOf,
    OneOf,
    SuperOf,
    TypeOf,
    UnboundName,
)
from astedit.python.facts import ModuleFacts, Use
from astedit.python.reader import Unreadable, read
from astedit.workers.plain import plain, restored
from tests.support.cases import tree

INT = BuiltinValue("type int")
EVERY = tree("python-reader")["every.py"].encode()


@pytest.mark.parametrize(
    "code, value",
    [
        ("a", OneOf((BoundName("a"),))),
        ("unknown", UnboundName("unknown")),
        ("int", INT),
        ("1", BuiltinValue("int")),
        ("None", OneOf(())),
        ("a.b", MemberOf(OneOf((BoundName("a"),)), "b")),
        ("int()", CallResult(INT)),
        ("type(int)", TypeOf(INT)),
        ("int[0]", ElementOf(INT)),
        ("int[0:1]", INT),
        ("[int, *int]", ContainerOf((INT, ElementOf(INT)))),
        ("int if a else 1", OneOf((INT, BuiltinValue("int")))),
        ("int + 1", CallResult(MemberOf(INT, "__add__"))),
        ("int ** 1", None),
        ("cast(int, a)", OneOf((InstanceOf(INT),))),
        ("cast(list[int], a)", OneOf((InstanceOf(GenericAnnotation(BuiltinValue("type list"),
                                                             (InstanceOf(INT),))),))),
        ("next(int)", ElementOf(INT)),
        ("max(int, 1)", OneOf((INT, BuiltinValue("int")))),
        ("max(int)", ElementOf(INT)),
        ("copy.copy(int)", INT),
    ],
)  # fmt: skip
def test_where_a_value_comes_from(code: str, value: Expression | None) -> None:
    assert read(f"a = 1\nx = {code}\n".encode(), "x", None).bindings["x"] == [value]


def test_what_imports_and_classes_bind() -> None:
    code = b"from ..m import n as x\nclass A:\n    def f(self):\n        self.y = super()\n"
    facts = read(code, "x", None)
    assert facts.bindings["x"] == [Imported(2, "m", "n")]
    assert facts.bindings["A.y"] == [SuperOf("A")]
    assert facts.bindings["A.f.self"] == [InstanceOf(BoundName("A"))]


def test_facts_cross_to_another_process_as_they_are() -> None:
    facts = read(EVERY, "old", "new")
    assert restored(ModuleFacts, marshal.loads(marshal.dumps(plain(facts)))) == facts
    seen = repr(facts)
    assert [kind.__name__ for kind in get_args(Expression) if f"{kind.__name__}(" not in seen] == []
    assert {type(use) for use in facts.uses} == set(get_args(Use))


def test_a_file_that_is_no_python_says_where() -> None:
    with pytest.raises(Unreadable, match="line 2"):
        read(b"a = 1\ndef (:\n", "a", None)


@pytest.mark.parametrize("code", [b"x = 'old \\N{of no character}'", b"x: 'old\\x' = 1"])
def test_a_string_that_python_cannot_read_is_unreadable(code: bytes) -> None:
    with pytest.raises(Unreadable, match="unicode error"):
        read(code, "old", None)
