"""Rules on whole published packages: every finding is that of `ast-grep scan`.

`rules/<language>.yml` holds about 160 rules that use every part of the rule language. A
file that the two grammars recover differently from a syntax error is left out; how many
may be is bounded.
"""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from astedit.language import load, named
from astedit.rule import RuleFinder, compile_document, read_rules
from benchmarks.packages import Unavailable, unpacked
from tests.support.differential.corpora import CACHE, CORPORA, HERE, Corpus, File, packaged
from tests.support.differential.explain import same_tree
from tests.support.differential.oracle import Span, Subject

AST_GREP = Path(sys.executable).parent / "ast-grep"
RULES = HERE / "rules"
WITH_RULES = [corpus for corpus in CORPORA if (RULES / f"{corpus.language}.yml").exists()]
Findings = set[tuple[str, str, Span]]  # rule, file, bytes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.parametrize(
    "corpus", WITH_RULES, ids=lambda corpus: f"{corpus.language} {corpus.package.name}"
)
def test_findings_are_those_of_ast_grep(corpus: Corpus) -> None:
    try:
        files = {file.name: file for file in packaged(corpus)}
    except Unavailable as reason:
        pytest.skip(str(reason))
    ours = {hit for file in files.values() for hit in found(file)}
    theirs = oracle(corpus, files)
    guessed = {name for name in {hit[1] for hit in ours ^ theirs} if recovered(files[name])}
    assert len(guessed) <= 0.01 * len(files)
    differing: dict[str, list[tuple[str, str, Span]]] = defaultdict(list)
    for hit in ours ^ theirs:
        if hit[1] not in guessed:
            differing["ours" if hit in ours else "theirs"].append(hit)
    assert not differing, {side: sorted(hits)[:5] for side, hits in differing.items()}
    assert len(ours) > len(files)


def test_there_are_enough_rules() -> None:
    assert len(WITH_RULES) >= 6
    assert sum(len(finders(corpus.language)) for corpus in WITH_RULES) >= 150


@cache
def finders(language: str) -> list[RuleFinder]:
    row = named(language)
    assert row is not None
    path = RULES / f"{language}.yml"
    return [
        compile_document(document, row) for document in read_rules(path.read_bytes(), str(path))
    ]


def found(file: File) -> Findings:
    """What our rules find in one file."""
    row = named(file.language)
    assert row is not None
    root = load(row).parser().parse(file.source).root_node
    return {
        (finder.id, file.name, (one.node.start_byte, one.node.end_byte))
        for finder in finders(file.language)
        if finder.may_match(file.source)
        for one in finder.find(root, file.source)
    }


def oracle(corpus: Corpus, names: Iterable[str]) -> Findings:
    """What ast-grep's command finds with the same rules in the same files."""
    below = f"{corpus.package.folder}/"
    root = unpacked(corpus.package, CACHE)
    ignoring = ("hidden", "dot", "exclude", "global", "parent", "vcs")
    done = subprocess.run(
        [AST_GREP, "scan", "-r", RULES / f"{corpus.language}.yml", "--json=stream"]
        + [f"--no-ignore={kind}" for kind in ignoring]
        + [name.removeprefix(below) for name in names],
        cwd=root,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return {
        (
            hit["ruleId"],
            below + hit["file"],
            (hit["range"]["byteOffset"]["start"], hit["range"]["byteOffset"]["end"]),
        )
        for hit in map(json.loads, done.stdout.splitlines())
    }


def recovered(file: File) -> bool:
    """Whether the two read a file with a syntax error as different trees."""
    subject = Subject(file.language, file.source)
    root = subject.tree.root_node
    return root.has_error and not same_tree(root, subject.root)
