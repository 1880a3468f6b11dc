"""What is not looked at holds no match: literals in files, candidates in trees."""

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.engine.program import Prefilter
from astedit.language import load, named
from astedit.language.traits import traits
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import Pattern
from astedit.pattern.find import Finder
from astedit.pattern.required_text import DottedName
from astedit.rule import RuleFinder, compile_document, read_rules
from astedit.rule.environment import Environment
from tests.support.differential.corpora import LANGUAGES, bundled
from tests.support.differential.derive import Deriver
from tests.support.differential.explain import names_stand, preorder
from tests.support.differential.oracle import Hit, Query, Refused, Subject, compiled, hit
from tests.support.differential.patterns import PATTERNS
from tests.support.trees import plan_of, write


@cache
def whole(language: str) -> tuple[Subject, ...]:
    return tuple(Subject(language, file.source) for file in bundled(language))


def query_of(random: Random, language: str) -> Query | None:
    """A pattern someone wrote, or one derived from code."""
    if random.random() < 0.3:
        query = random.choice([one for one in PATTERNS if one.language == language])
        return Query(language, query.text, random.choice(STRICTNESS), query.selector, query.context)
    return Deriver(random, random.choice(whole(language))).query()


def source_of(random: Random, language: str) -> bytes:
    """Some nodes of our files, in any order: rarely all the literals of a pattern."""
    nodes = list(preorder(random.choice(whole(language)).tree.root_node))
    parts = random.sample(nodes, min(len(nodes), random.randint(1, 12)))
    return b"\n".join((node.text or b"")[:2_000] for node in parts)


def everywhere(pattern: Pattern, subject: Subject) -> list[Hit]:
    """The matches at every node of the tree, whether it is a candidate or not."""
    found = filter(None, map(Finder(pattern).matcher.match, preorder(subject.tree.root_node)))
    return [
        hit(one.node, one.single, one.multi)
        for one in found
        if names_stand(pattern, one.node, subject)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(random=st.randoms(use_true_random=True))
def test_nothing_that_is_passed_over_matches(language: str, random: Random) -> None:
    query = query_of(random, language)
    try:
        pattern = compiled(query) if query else None
    except Refused:
        pattern = None
    if pattern is None:
        return
    finder = Finder(pattern)
    for source in (source_of(random, language), random.choice(whole(language)).source):
        subject = Subject(language, source)
        expected = everywhere(pattern, subject)
        assert finder.may_match(source) or not expected, query
        found = finder.find(subject.tree.root_node, source)
        assert [hit(one.node, one.single, one.multi) for one in found] == expected, query


@cache
def kinds(language: str) -> tuple[RuleFinder, ...]:
    """A rule for every kind that goes by a keyword."""
    row = named(language)
    assert row is not None
    texts = [
        f"id: {kind}\nlanguage: {language}\nrule: {{kind: {kind}}}"
        for kind in traits(language).facts.keywords or ()
        if load(row).language.id_for_node_kind(kind, True) is not None
    ]
    return tuple(compile_document(one, row) for one in read_rules("\n---\n".join(texts).encode()))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=20, deadline=None)
@given(random=st.randoms(use_true_random=True))
def test_a_kind_is_found_by_its_keyword(language: str, random: Random) -> None:
    source = source_of(random, language)
    words = [node for node in preorder(Subject(language, source).tree.root_node) if node.text]
    gone = random.choice([one for one in words if not one.child_count])
    source = source[: gone.start_byte] + source[gone.end_byte :]  # which may be recovered oddly
    root = Subject(language, source).tree.root_node
    for finder in kinds(language):
        env = Environment(root, source)
        expected = [one.id for one in preorder(root) if finder.rule.match(one, env) is not None]
        assert finder.may_match(source) or not expected
        assert [one.node.id for one in finder.find(root, source)] == expected


BEFORE = st.sampled_from(["", "self.", "f(.", "x = [.", "return .", "...", "x ", "x = "])
BETWEEN = st.sampled_from([".", " . ", "..", ".3.", " it.", ".$.", "?.", "# c\n.", "/*.*/.", " "])
BEHIND = st.sampled_from(
    ["(1)", " it(1)", " # c\n(1)", "?.(1)", "[0](1)", "(1))", "]", " = 2", ".go(1)", "\n", " .hass"]
)
CODE = st.lists(st.tuples(BEFORE, st.just("hass"), BETWEEN, st.just("go"), BEHIND).map("".join))
MEMBERS = ("hass.go($$$A)", "hass.go", "$A.hass.go($$$B)", "hass($$$A)", "hass.go(1).$B", "go = $A")


@pytest.mark.parametrize("language", ["python", "javascript", "tsx"])
@settings(max_examples=150, deadline=None)
@given(CODE.map("\n".join), st.sampled_from(MEMBERS))
def test_names_and_dots_in_any_order(language: str, code: str, text: str) -> None:
    """Most of it does not parse, and is recovered in ways that nobody foresees."""
    pattern = compiled(Query(language, text))
    subject = Subject(language, code.encode())
    finder = Finder(pattern)
    expected = everywhere(pattern, subject)
    assert finder.may_match(subject.source) or not expected
    found = finder.find(subject.tree.root_node, subject.source)
    assert [hit(one.node, one.single, one.multi) for one in found] == expected


@cache
def many(language: str, texts: tuple[str, ...] = ()) -> tuple[list[Finder], Prefilter]:
    """The patterns of a language, or those given, and some that nothing holds."""
    queries = [query for query in PATTERNS if query.language == language and not texts]
    more = (*texts, *(f"no_such_name_{number}" for number in range(16)))
    queries += [Query(language, text) for text in more]
    finders = [Finder(compiled(query)) for query in queries]
    return finders, Prefilter(finders)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(random=st.randoms(use_true_random=True))
def test_one_pass_for_many_says_what_each_says(language: str, random: Random) -> None:
    finders, prefilter = many(language)
    assert prefilter.many
    source = source_of(random, language)
    expected = [place for place, one in enumerate(finders) if one.may_match(source)]
    assert prefilter.active(source) == expected
    assert prefilter.may_match(source) or not expected


OPTIONS = re2.Options()
OPTIONS.encoding = re2.Options.Encoding.LATIN1
ALIKE = [(b"a",), (b"a", b"a"), (b"a", b"b", b"a"), (b"ba", b"a")]


def test_one_pass_looks_for_any_letters() -> None:
    finders, prefilter = many("python", ("größe.maß($A)", "'ß'", "hass.go"))
    for code in ("größe.maß(1)", "x.größe.maß(1)", "'ß'", "größe.mass(1)", "gröe"):
        expected = [place for place, one in enumerate(finders) if one.may_match(code.encode())]
        assert prefilter.active(code.encode()) == expected
    assert prefilter.active("größe.maß('ß')".encode()) == [0, 1]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(ALIKE),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from([b"a", b".a", b"ba.a", b".b.a", b"(", b"#", b"..", b"1", b" "])),
)
def test_re2_finds_what_is_found_without_it(
    parts: tuple[bytes, ...], begins: bool, called: bool, pieces: list[bytes]
) -> None:
    source, name = b"".join(pieces), DottedName(parts, begins, called)
    found = re2.search(name.expression().encode(), b"\n" + source, OPTIONS) is not None
    behind_dots = begins and b".." + parts[0] in source
    assert name.stands(source) == found or behind_dots


@settings(deadline=None)
@given(CODE.map("\n".join))
def test_one_pass_finds_names_as_they_are_found_one_by_one(code: str) -> None:
    finders, prefilter = many("python", MEMBERS)
    expected = [place for place, one in enumerate(finders) if one.may_match(code.encode())]
    assert prefilter.active(code.encode()) == expected


def test_without_memory_for_one_pass_each_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    finders, usual = many("python", MEMBERS)
    prefilter = Prefilter(finders)
    monkeypatch.setattr(prefilter, "_automaton", Exhausted())
    assert prefilter.many
    assert prefilter.active(b"hass.go(1)\n") == usual.active(b"hass.go(1)\n") != []


class Exhausted:
    """RE2's set when it has no memory left."""

    def Match(self, _: bytes) -> None:
        return None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prefilter_drops_files(language: str) -> None:
    """It would be sound, and useless, if it let everything through."""
    patterns = [compiled(query) for query in PATTERNS if query.language == language]
    assert any(not Finder(pattern).may_match(b"\n") for pattern in patterns)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["größe", "plain", "naïve_ñ"]), st.sampled_from(["latin-1", "cp1252"]))
def test_a_literal_is_looked_for_in_the_encoding_of_the_file(name: str, encoding: str) -> None:
    line = f"{name}(1)\n"
    tree = {
        "declared.py": f"# coding: {encoding}\n{line}".encode(encoding),
        "plain.py": line.encode(),
        "other.py": b"other(1)\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), tree)
        plan = plan_of(root, [{"pat": f"{name}($A)", "out": "found($A)"}])
        assert [file.path for file in plan.files] == ["declared.py", "plain.py"]
        (root / "plain.py").write_bytes(line.encode(encoding))
        plan = plan_of(root, [{"pat": f"{name}($A)", "out": "found($A)"}], encoding=encoding)
        assert [file.path for file in plan.files] == ["declared.py", "plain.py"]
