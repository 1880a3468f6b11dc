"""Examples to rules: what is generalised, and what stays as it was."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from astedit.language import named
from astedit.learning.conditions import escaped
from astedit.learning.examples import ExamplePair
from astedit.learning.search import Learned, Learner
from astedit.limits import Deadline
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


def learned(*texts: tuple[str, str], language: str = "python") -> Learned:
    row = named(language)
    assert row is not None
    pairs = [
        ExamplePair(f"{at}.py", before.encode(), after.encode(), row)
        for at, (before, after) in enumerate(texts)
    ]
    return Learner(pairs, 20, Deadline()).learned()


@pytest.mark.parametrize(("before", "after", "pattern", "fix"), ROWS["rules"])
def test_one_example_becomes_a_rule(before: str, after: str, pattern: str, fix: str) -> None:
    document = learned((before + "\n", after + "\n")).rules[0].document
    rule = document["rule"]
    assert (rule.get("pattern") or rule["all"][0]["pattern"], document["fix"]) == (pattern, fix)
    assert document.get("imports") in (None, {"add": ["import n"], "remove": ["from m import a"]})


def test_what_differs_between_examples_is_a_hole_that_names_around_tell_apart() -> None:
    text = "class {0}(B):\n    def f({1}):\n        super({2}).f()\n"
    texts = [(text.format(a, b, f"{a}, {b}"), text.format(a, b, "")) for a, b in ("Cx", "Dy")]
    rule = learned(*texts).rules[0]
    assert rule.hypothesis.pattern == "super($B, $C, $$$A)"
    assert [one.text for one in rule.chosen if "around" in one.text] == [
        "$B is the class around it", "$C is the first parameter around it"
    ]  # fmt: skip


def test_a_decorator_goes_whatever_it_decorates() -> None:
    rule = learned(("@Old() class A {}", "class A {}"), language="typescript").rules[0].document
    assert rule["rule"]["pattern"]["selector"] == "decorator" and rule["fix"] == ""


def test_what_an_example_keeps_its_rule_keeps() -> None:
    """JavaScript's import is no import of Python; nor may a rule take one along that stays."""
    rule = learned(
        ('var a = require("x");\n', 'import a from "x";\n'), language="javascript"
    ).rules[0]
    assert rule.document["fix"] == "import $A from $B;"
    whole = "try:\n    import a\nexcept ImportError:\n    import b as a\n"
    with pytest.raises(PreconditionError, match="no rule fits the edit"):
        learned((whole, "import a\n"))
    made = learned((f"{whole}f(1)\n", "import a\ng(1)\n")).rules
    assert [one.hypothesis.fix for one in made] == ["g"]


SUPPRESS = ("try:\n    a()\nexcept {}:\n    pass", "with suppress({}):\n    a()")
DECISIVE = [
    ("python", "open(a, {})", "open(a)", ["'r'", "'rt'"]),  # what a rule throws away
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

    assert repr({"regex": f"^(?:{'|'.join(map(escaped, names))})$"}) in repr(rule["constraints"])


def test_many_places_that_stay_take_no_time() -> None:
    calls = [f"f({at})\n" for at in range(1_000)]
    made = learned(("".join(calls), "".join(calls).replace("f(5)", "g(5)", 1))).rules
    assert [one.document["rule"] for one in made] == [{"pattern": "f(5)"}]


def test_examples_that_contradict_each_other_teach_nothing() -> None:
    with pytest.raises(PreconditionError) as failure:
        learned(("f(1)\n", "g(1)\n"), ("f(1)\n", "f(1)\n"))

    assert failure.value.code == "contradiction"
