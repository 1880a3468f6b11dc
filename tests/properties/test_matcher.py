"""The matcher against an exhaustive search, and against what it must not leave behind."""

from itertools import permutations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.model.request import STRICTNESS
from astedit.pattern.compile import Pattern
from astedit.pattern.match import Matcher
from tests.support.differential.explain import preorder, reference_hits
from tests.support.differential.oracle import Query, Refused, Subject, compiled, ours
from tests.support.differential.reference import DEVIATIONS

NAMES = st.sampled_from(["a", "b", "x.y", "g(a)", "g(a, b)", "'s'"])
HOLES = st.sampled_from(["$A", "$B", "$_", "$$$X", "$$$Y", "$$$", "g($A)", "g($$$Z)", "g($$$Z, b)"])
ITEMS = st.lists(NAMES, max_size=5).map(", ".join)
FORMS = st.sampled_from(["f({})", "f({},)", "[{}]", "f(0, {})", "f({}, 1)", "{{ k({}) }}"])


@st.composite
def patterns(draw: st.DrawFn, language: str) -> Query:
    parts = draw(st.lists(st.one_of(NAMES, HOLES, HOLES), min_size=1, max_size=4))
    return Query(language, draw(FORMS).format(", ".join(parts)), draw(st.sampled_from(STRICTNESS)))


@st.composite
def subjects(draw: st.DrawFn, language: str) -> Subject:
    """A few calls and lists, some with comments and trailing commas."""
    comment = {"javascript": "/* c */", "python": "# c\n"}[language]
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        text = draw(FORMS).format(draw(ITEMS))
        if draw(st.booleans()):
            at = draw(st.integers(0, text.count(",")))
            parts = text.split(",")
            text = ",".join(parts[:at]) + ("," if 0 < at < len(parts) else "") + comment
            text += ",".join(parts[at:])
        lines.append(text)
    return Subject(language, "\n".join(lines).encode())


def pattern_of(query: Query) -> Pattern | None:
    try:
        return compiled(query)
    except Refused:
        return None


@settings(max_examples=250, deadline=None)
@given(st.data(), st.sampled_from(["javascript", "python"]))
def test_backtracking_finds_what_an_exhaustive_search_finds(
    data: st.DataObject, language: str
) -> None:
    if (pattern := pattern_of(data.draw(patterns(language)))) is not None:
        subject = data.draw(subjects(language))
        assert ours(pattern, subject) == reference_hits(pattern, subject, frozenset(DEVIATIONS))


@settings(max_examples=50, deadline=None)
@given(patterns("javascript"), subjects("javascript"), st.randoms(use_true_random=False))
def test_a_matcher_remembers_nothing(query: Query, subject: Subject, random: Random) -> None:
    """One matcher for all nodes, in any order, answers as a new one for each node does."""
    if (pattern := pattern_of(query)) is None:
        return
    nodes = list(preorder(subject.tree.root_node))
    fresh = {node.id: Matcher(pattern).match(node) for node in nodes}
    random.shuffle(nodes)
    reused = Matcher(pattern)
    kept = [(node, reused.match(node)) for node in nodes]
    assert all(found == fresh[node.id] for node, found in kept)


def test_every_split_of_a_short_list_is_found() -> None:
    """`f($$$X, a, $$$Y)` on every arrangement: a match wherever there is an `a`."""
    pattern = compiled(Query("javascript", "f($$$X, a, $$$Y)"))
    for size in range(5):
        for names in permutations("abcd", size):
            assert bool(
                ours(pattern, Subject("javascript", f"f({', '.join(names)})".encode()))
            ) == ("a" in names), names
