"""What is looked for before a regular expression is: every text it finds itself in holds that."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from astedit.pattern.required_text import Folded, count, seeker, spans, stands
from astedit.rule.regex import compile_regex, exact_texts, regex_literals

ATOMS = ["a", "b", "k", "S", "=", " ", ".", r"\d", r"\b", "[ab]", "[[a]", "[^a]", "é", r"\["]
NAMED = ["[[:alpha:]]", "[[:^alpha:]b]", "[:a]", r"\[:alpha:]", r"\\[:alpha:]", r"[\\[:alpha:]]"]
REPEATS = ["", "", "", "*", "+", "?", "{2}", "{2,}", "{1,3}", "+?", "{,2}"]
TEXTS = st.lists(st.sampled_from([*"abABkKsSſ\u212a=1[:]\\ é", "alpha:]"]), max_size=8).map("".join)


def repeated(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{}{}".format, inner, st.sampled_from(REPEATS))


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    opening = st.sampled_from(["(", "(?:", "(?i:", "(?-i:", "(?P<n>"])
    branches = st.lists(inner, min_size=1, max_size=3).map("|".join)
    return repeated(st.builds("{}{})".format, opening, branches))


PIECES = st.recursive(
    repeated(st.sampled_from(ATOMS + NAMED)),
    lambda inner: st.lists(st.one_of(inner, grouped(inner)), min_size=1, max_size=3).map("".join),
    max_leaves=6,
)
EXPRESSIONS = st.builds(
    "{}{}{}{}".format, st.sampled_from(["", "", "(?i)"]), st.sampled_from(["", "^"]), PIECES,
    st.sampled_from(["", "$"]),
)  # fmt: skip


@settings(max_examples=1_000, deadline=None)
@given(EXPRESSIONS, TEXTS)
@pytest.mark.slow
def test_what_is_found_holds_the_literals(expression: str, text: str) -> None:
    try:
        compiled = compile_regex(expression)
    except ValueError:
        assume(False)
    source = text.encode()
    if compiled.search(source) is None:
        return
    literals = regex_literals(expression)
    assert any(all(stands(one, source) for one in way) for way in literals), literals
    exact = exact_texts(expression)
    assert exact is None or source in exact


@settings(max_examples=500, deadline=None)
@given(st.text("aks=", min_size=1, max_size=3), TEXTS)
def test_folded_text_stands_where_re2_finds_it(text: str, surroundings: str) -> None:
    literal, source = Folded(text.encode()), surroundings.encode()
    found = compile_regex(f"(?i){text}").search(source)
    assert stands(literal, source) == (found is not None) == (count(literal, source) > 0)
    assert seeker(literal, source)(0, len(source)) == (-1 if found is None else found.start())
    places = [at for at in range(len(source)) if _begins(text, source, at)]
    assert [start for start, _ in spans(literal, source)] == places


def _begins(text: str, source: bytes, at: int) -> bool:
    if source[at] & 0xC0 == 0x80:
        return False  # within a character
    return compile_regex(f"(?i)^{text}").search(source[at:]) is not None
