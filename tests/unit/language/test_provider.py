"""Both providers give the same kind of grammar, and a missing one is a reason."""

import os
import subprocess
import sys

import pytest

from astedit import language
from astedit.errors import RequestError
from astedit.language import GrammarUnavailable, languages, load, named, rows
from tests.support.legacy_grammars import legacy
from tests.support.samples import sample

CASES = [
    pytest.param(language.from_wheel, False, row, id=f"wheel-{row.name}") for row in rows()
] + [
    pytest.param(language.from_legacy, True, row, id=f"legacy-{row.name}", marks=legacy)
    for row in rows()
    if row.legacy
]


@pytest.mark.parametrize(("provide", "is_legacy", "row"), CASES)
def test_a_grammar_parses_its_sample(provide, is_legacy, row):
    grammar = provide(row)
    root = grammar.parser().parse(sample(row.name).encode()).root_node
    assert not root.has_error, str(root)
    assert root.child_count
    assert (grammar.name, grammar.distribution == language.LEGACY) == (row.name, is_legacy)
    assert grammar.version[0].isdigit()
    assert grammar.parser() is grammar.parser()


def test_load_is_cached_and_prefers_the_wheel(monkeypatch):
    monkeypatch.delenv(language.SETTING, raising=False)
    assert load(named("py")) is load(named("python"))
    assert load(named("python")).distribution != language.LEGACY


@legacy
def test_the_setting_prefers_the_legacy_grammars_where_there_are_some(monkeypatch):
    monkeypatch.setenv(language.SETTING, "legacy")
    assert load(named("python")).distribution == language.LEGACY
    assert load(named("zig")).distribution != language.LEGACY
    assert {entry.provider for entry in languages()} > {language.LEGACY, "tree-sitter-zig"}


@legacy
def test_a_missing_wheel_is_replaced_by_the_legacy_grammar(monkeypatch):
    monkeypatch.delenv(language.SETTING, raising=False)
    row = named("python")._replace(distribution="tree-sitter-gone")
    assert load(row).distribution == language.LEGACY


def test_a_grammar_that_is_nowhere_is_a_request_error_with_the_command():
    row = named("zig")._replace(distribution="tree-sitter-gone", legacy=None)
    with pytest.raises(GrammarUnavailable) as caught:
        load(row)
    assert isinstance(caught.value, RequestError)
    assert caught.value.exit_code == 2
    assert "tree-sitter-gone is not installed" in caught.value.reason
    assert "pip install --upgrade tree-sitter-gone" in caught.value.hint


FAULTY = {
    "too_old": (
        # The first field of a grammar is its ABI; tree-sitter 0.26 takes 13 to 15.
        "import ctypes, sys\n"
        "sys.modules['tree_sitter_too_old.grammar'] = grammar = (ctypes.c_uint32 * 64)(12)\n"
        "def language(): return ctypes.addressof(grammar)\n",
        "Incompatible Language version 12",
    ),
    "no_function": ("", "has no attribute 'language'"),
    "broken": ("raise ImportError('symbol not found')\n", "symbol not found"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_wheel_that_cannot_be_used_is_a_reason_not_a_crash(fault, tmp_path, monkeypatch):
    code, reason = FAULTY[fault]
    module = f"tree_sitter_{fault}"
    (tmp_path / module).mkdir()
    (tmp_path / module / "__init__.py").write_text("raise SystemExit('must not run')\n")
    (tmp_path / module / "_binding.py").write_text(code)
    (tmp_path / f"{module}-0.1.9.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    distribution = module.replace("_", "-")
    row = named("zig")._replace(distribution=distribution, legacy=None)
    with pytest.raises(GrammarUnavailable) as caught:
        load(row)
    assert f"{distribution} 0.1.9 cannot be used" in caught.value.reason
    assert reason in caught.value.reason


def test_every_language_works_here():
    found = {entry.name: entry.problem for entry in languages()}
    assert found == dict.fromkeys([row.name for row in rows()])
    assert {entry.provider for entry in languages()} >= {"tree-sitter-python", "tree-sitter-sql"}


LEAN = """
import sys
from astedit.language import for_path, load, named
assert "tree_sitter" not in sys.modules
load(for_path("a.py"))
slow = {"importlib.metadata", "importlib.resources", "ctypes", "pydantic", "tree_sitter_python"}
loaded = sorted(slow & set(sys.modules))
assert not loaded, loaded
load(named("solidity")), load(named("dart"))  # bindings that still hand over an int
"""


def test_loading_is_lean_and_quiet():
    """Only the grammar asked for, none of the slow modules, no deprecation warning."""
    environment = {key: value for key, value in os.environ.items() if key != language.SETTING}
    subprocess.run([sys.executable, "-W", "error", "-c", LEAN], check=True, env=environment)
