"""Patterns derived from code, by the hundred on each run, by the thousand on packages."""

from collections import Counter
from random import Random

import pytest

from benchmarks.packages import Unavailable
from tests.support.differential.corpora import CORPORA, LANGUAGES, Corpus, bundled, packaged
from tests.support.differential.derive import Deriver, commented
from tests.support.differential.explain import SAME, explain
from tests.support.differential.oracle import Subject

EACH = 8  # patterns made from one file before the next is taken


def compare(random: Random, subject: Subject, count: int) -> Counter[str]:
    """What the two programs differ by on patterns made from one file."""
    if random.random() < 0.25:
        subject = commented(random, subject)
    deriver = Deriver(random, subject)
    queries = [query for _ in range(count) if (query := deriver.query())]
    return Counter(explain(query, subject) for query in queries)


@pytest.mark.parametrize("language", LANGUAGES)
def test_patterns_derived_from_our_files(language: str) -> None:
    found: Counter[str] = Counter()
    subjects = [Subject(language, file.source) for file in bundled(language)]
    for seed in range(12):
        random = Random(f"{language} {seed}")
        found += compare(random, random.choice(subjects), EACH)
    assert found[SAME] > 0.8 * found.total() > 70, found


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "corpus", CORPORA, ids=lambda corpus: f"{corpus.language} {corpus.package.name}"
)
def test_patterns_derived_from_packages(corpus: Corpus) -> None:
    try:
        files = [file for file in packaged(corpus) if 200 < len(file.source) < 40_000]
    except Unavailable as reason:
        pytest.skip(str(reason))
    found: Counter[str] = Counter()
    for seed in range(100):
        random = Random(f"{corpus.package.name} {seed}")
        found += compare(random, Subject(corpus.language, random.choice(files).source), EACH)
    assert found[SAME] > 0.8 * found.total() > 500, found
