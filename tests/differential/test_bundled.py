"""Every pattern at every level of strictness on the files of ours: on each run."""

from dataclasses import replace
from functools import cache

import pytest

from astedit.language.traits import traits
from astedit.model.request import STRICTNESS
from tests.support.differential.corpora import LANGUAGES, bundled
from tests.support.differential.explain import (
    M5,
    SAME,
    behind_dots,
    explain,
    preorder,
    same_tree,
    unspoken,
)
from tests.support.differential.oracle import Query, Refused, Subject, compiled, ours, their_nodes
from tests.support.differential.patterns import ANYTHING, FRUITLESS, PATTERNS
from tests.support.differential.reference import M1, M2, M4


@cache
def subjects(language: str) -> tuple[Subject, ...]:
    return tuple(Subject(language, file.source) for file in bundled(language))


def name(query: Query) -> str:
    return f"{query.language}: {query.context or query.text}"


def verdicts(query: Query) -> set[str]:
    """What distinguishes the two programs on this pattern, at any level, in any file."""
    levels = [replace(query, strictness=level) for level in STRICTNESS]
    return {explain(one, subject) for one in levels for subject in subjects(query.language)}


def test_there_are_enough_patterns() -> None:
    counts = {lang: sum(query.language == lang for query in PATTERNS) for lang in LANGUAGES}
    assert min(counts.values()) >= 25, counts


@pytest.mark.parametrize("query", PATTERNS, ids=name)
def test_matches_are_those_of_ast_grep(query: Query) -> None:
    verdicts(query)
    pattern = compiled(query)
    assert any(ours(pattern, subject) for subject in subjects(query.language)), "finds nothing"


@pytest.mark.parametrize("query", ANYTHING, ids=name)
def test_holes_alone_match_what_ast_grep_matches(query: Query) -> None:
    assert verdicts(query) == {SAME}


@pytest.mark.parametrize("query", FRUITLESS, ids=name)
def test_what_matches_nothing_matches_nothing_in_ast_grep(query: Query) -> None:
    assert verdicts(query) == {SAME}
    try:
        pattern = compiled(query)
    except Refused:
        return  # by ast-grep as well, or the verdict would say so
    for subject in subjects(query.language):
        assert not ours(pattern, subject)
        assert not their_nodes(query, subject)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("python", "foo($$$A,)"), {M1}),
        (Query("python", "foo($A, $$$B)"), {M4}),
        (Query("python", "foo($$$A, $B)"), {M4}),
        (Query("java", "Log.d($$$A, $MSG)"), {f"{M2} {M4}"}),
        (Query("go", "switch $$$H { $$$C }"), {M5}),
        (Query("python", "foo($$$A, $$$B)"), {M5}),
    ],
    ids=str,
)
def test_deviations_are_told_apart(query: Query, expected: set[str]) -> None:
    assert {explain(query, subject) for subject in subjects(query.language)} - {SAME} == expected


def test_both_refuse_the_same_selectors() -> None:
    for selector in ("no_such_kind", "class_definition"):
        query = Query("python", "x", selector=selector, context="f($A)")
        with pytest.raises(Refused):
            compiled(query)
        with pytest.raises(Refused):
            their_nodes(query, subjects("python")[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_see_the_same_trees(language: str) -> None:
    for subject in subjects(language):
        assert not subject.tree.root_node.has_error
        assert same_tree(subject.tree.root_node, subject.root)


@pytest.mark.parametrize("language", LANGUAGES)
def test_behind_a_dot_no_name_begins_a_node(language: str) -> None:
    for subject in subjects(language):
        assert behind_dots(subject) <= traits(language).facts.dotted


@pytest.mark.parametrize("language", LANGUAGES)
def test_keywords_are_where_they_are_looked_for(language: str) -> None:
    keywords = traits(language).facts.keywords
    seen = {node.type for one in subjects(language) for node in preorder(one.tree.root_node)}
    assert len(seen & keywords.keys()) >= 5
    for subject in subjects(language):
        assert not unspoken(subject, keywords)


def test_a_kind_without_its_keyword_is_seen() -> None:
    """A call has none, nor has Java's `int`, a token below a node, the name of that node."""
    subject = Subject("java", b"class A { int a = f(1); }\n")
    assert unspoken(subject, {"method_invocation": ("call",), "class_declaration": ("class",)}) == {
        "method_invocation"
    }


def test_a_name_behind_a_dot_is_seen_where_there_is_one() -> None:
    """C++ has them, so nothing of the kind is said of it."""
    assert behind_dots(Subject("cpp", b"int f() { return a.b<int>(1); }\n")) == {"template_method"}
    assert traits("cpp").facts.dotted is None
