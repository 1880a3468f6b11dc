"""Examples to rules: what is generalised, and what stays as it was."""

import pytest

from astedit.errors import PreconditionError
from astedit.language import named
from astedit.learning.conditions import escaped
from astedit.learning.examples import ExamplePair
from astedit.learning.search import Learned, Learner
from astedit.limits import Deadline


def learned(*texts: tuple[str, str], language: str = "python") -> Learned:
    row = named(language)
    assert row is not None
    pairs = [
        ExamplePair(f"{at}.py", before.encode(), after.encode(), row)
        for at, (before, after) in enumerate(texts)
    ]
    return Learner(pairs, 20, Deadline()).learned()


RULES = [
    ("foo(x, 1)", "bar(1, x)", "foo($A, $B)", "bar($B, $A)"),
    ("f(x, 1, b=2)", "f(x, b=2, a=1)", "f($B, $C, $$$A)", "f($B, $$$A, a=$C)"),
    ("self.assertEquals(a, b)", "self.assertEqual(a, b)", "$A.assertEquals", "$A.assertEqual"),
    ("import log\nlog.warn(1)", "import log\nlog.warning(1)", "$A.warn", "$A.warning"),
    ("x = 1\ny = 2", "y = 2", "x = 1", ""),
    ("f(x, y, b=1)", "f(x, y, c=1)", "f($$$A, b=$C, $$$B)", "f($$$A, c=$C, $$$B)"),
]


@pytest.mark.parametrize(("before", "after", "pattern", "fix"), RULES)
def test_one_example_becomes_a_rule(before: str, after: str, pattern: str, fix: str) -> None:
    rule = learned((before + "\n", after + "\n")).rules[0].document

    assert (rule["rule"]["pattern"], rule["fix"]) == (pattern, fix)


def test_what_differs_between_examples_is_a_hole() -> None:
    found = learned(
        ("super(C, self).f(a)\n", "super().f(a)\n"), ("super(D, self).g()\n", "super().g()\n")
    )

    assert found.rules[0].document["rule"]["pattern"] == "super($B, self, $$$A)"
    assert "regex" not in str(found.rules[0].document)  # an argument may be any other


SUPPRESS = ("try:\n    a()\nexcept {}:\n    pass", "with suppress({}):\n    a()")
DECISIVE = [
    ("python", "open(a, {})", "open(a)", ["'r'", "'rt'"]),  # what a rule throws away
    ("python", *SUPPRESS, ["KeyError", "ValueError"]),
    ("python", *SUPPRESS, [*"CDEFGHIJK"]),  # however many
    ("python", *SUPPRESS, ["(E, F)", "(G, H, I)"]),
    ("python", "try:\n    a()\nexcept (E, {}):\n    pass", SUPPRESS[1], ["F", "G"]),
    ("python", "class A({}): pass", "class A({}, Mixin): pass", ["B", "C"]),
    ("python", "@{}\ndef f(): pass", "@{}()\ndef f(): pass", ["bar", "foo"]),
    ("python", "reg({0}, {0}(1))", "reg({0}, {0}(), 3)", ["get", "put"]),
    ("javascript", "class A extends {} {{}}", "class A extends Mix({}) {{}}", ["B", "C"]),
    ("typescript", "class A implements {} {{}}", "class A implements M<{}> {{}}", ["B", "C"]),
]


@pytest.mark.parametrize(("language", "before", "after", "names"), DECISIVE)
def test_a_name_that_decides_the_meaning_is_one_of_those_seen(
    language: str, before: str, after: str, names: list[str]
) -> None:
    pairs = [(f"{before.format(name)}\n", f"{after.format(name)}\n") for name in names]
    rule = learned(*pairs, language=language).rules[0].document

    seen = {"regex": f"^(?:{'|'.join(map(escaped, names))})$"}
    assert repr(seen) in repr(rule["constraints"])


def test_what_stays_in_the_example_is_told_apart() -> None:
    found = learned(("get(a)\nother.get(a)\nget(1)\n", "fetch(a)\nother.get(a)\nget(1)\n"))

    assert [condition.text for condition in found.rules[0].chosen]


def test_examples_that_contradict_each_other_teach_nothing() -> None:
    with pytest.raises(PreconditionError) as failure:
        learned(("f(1)\n", "g(1)\n"), ("f(1)\n", "f(1)\n"))

    assert failure.value.code == "contradiction"
