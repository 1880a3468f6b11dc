"""Every pattern on whole published packages: what people really run it on."""

from collections import Counter

import pytest

from astedit.language.traits import traits
from benchmarks.packages import Unavailable
from tests.support.differential.corpora import CORPORA, Corpus, packaged
from tests.support.differential.explain import SAME, behind_dots, explain, same_tree, unspoken
from tests.support.differential.oracle import Subject
from tests.support.differential.patterns import FRUITLESS, PATTERNS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.parametrize(
        "corpus", CORPORA, ids=lambda corpus: f"{corpus.language} {corpus.package.name}"
    ),
]


def subjects(corpus: Corpus) -> list[Subject]:
    try:
        files = packaged(corpus)
    except Unavailable as reason:
        pytest.skip(str(reason))
    # every fourth of many: a package has the same few forms in all its files
    return [Subject(corpus.language, file.source) for file in files[:: 1 + 3 * (len(files) > 40)]]


def test_matches_are_those_of_ast_grep(corpus: Corpus) -> None:
    queries = [query for query in (*PATTERNS, *FRUITLESS) if query.language == corpus.language]
    found = Counter(explain(query, one) for one in subjects(corpus) for query in queries)
    assert found[SAME] > 0.95 * found.total(), found


def test_both_see_the_same_trees(corpus: Corpus) -> None:
    """They may only differ where error recovery had to guess."""
    for subject in subjects(corpus):
        root = subject.tree.root_node
        assert same_tree(root, subject.root) or root.has_error


def test_behind_a_dot_no_name_begins_a_node(corpus: Corpus) -> None:
    """What the prefilter and N-1 rest on, in code that parses."""
    parsed = [one for one in subjects(corpus) if not one.tree.root_node.has_error]
    assert parsed
    for subject in parsed:
        assert behind_dots(subject) <= traits(corpus.language).facts.dotted


def test_keywords_are_where_they_are_looked_for(corpus: Corpus) -> None:
    """What the prefilter and N-2 rest on, in code that parses."""
    for subject in subjects(corpus):
        if not subject.tree.root_node.has_error:
            assert not unspoken(subject, traits(corpus.language).facts.keywords)
