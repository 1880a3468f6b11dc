"""The table of languages: one row each, with ast-grep's names, aliases and suffixes.

A row says how people name the language, which files are written in it, where its grammar
comes from, and which character stands in for `$` while a pattern is parsed. Nothing is
imported to read the table; `astedit.language` loads a row's grammar.

Facts about ast-grep were read from version 0.51.1 by running it (`tests/unit/language`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from astedit.errors import RequestError
from astedit.text import meant


class Row(NamedTuple):
    """One language.

    `label` is ast-grep's spelling in JSON output. `suffixes` have no dot and are compared
    exactly, as ast-grep does. `distribution` names the wheel, `function` its entry point.
    `stand_in` replaces `$` before parsing where the grammar rejects `$`. `markup` languages
    take part in a run only when named. `legacy` is the grammar's name in tree-sitter-languages,
    None where it has none that parses the same language.
    """

    name: str
    label: str
    aliases: tuple[str, ...]
    suffixes: tuple[str, ...]
    distribution: str
    function: str
    stand_in: str
    markup: bool
    legacy: str | None

    @property
    def module(self) -> str:
        """The package that the wheel installs."""
        return self.distribution.replace("-", "_")


def _row(
    name: str,
    label: str,
    aliases: str,
    suffixes: str,
    *,
    stand_in: str = "$",
    wheel: str | None = None,
    function: str = "language",
    markup: bool = False,
    legacy: str | None = "",
) -> Row:
    names, ends = tuple(aliases.split()), tuple(suffixes.split())
    wheel, old = f"tree-sitter-{wheel or name}", name if legacy == "" else legacy
    return Row(name, label, names, ends, wheel, function, stand_in, markup, old)


_LINEAR_B = "\U00010000"  # a letter to C and C++, which both reject `µ`

# ast-grep's order, which decides nothing: no suffix and no alias occurs twice. `php_only`
# is ast-grep's choice too: it parses a whole file, and a pattern without `<?php`.
_ROWS = (
    _row("bash", "Bash", "", "bash bats cgi command env fcgi ksh sh tmux tool zsh"),
    _row("c", "C", "", "c h", stand_in=_LINEAR_B),
    _row("cpp", "Cpp", "cc c++ cxx", "cc hpp cpp c++ hh cxx cu ino", stand_in=_LINEAR_B),
    _row("csharp", "CSharp", "cs", "cs", stand_in="µ", wheel="c-sharp", legacy="c_sharp"),
    _row("css", "Css", "", "css scss", stand_in="_", markup=True),
    _row("dart", "Dart", "", "dart", legacy=None),
    _row("elixir", "Elixir", "ex", "ex exs", stand_in="µ"),
    _row("go", "Go", "golang", "go", stand_in="µ"),
    _row("haskell", "Haskell", "hs", "hs", stand_in="µ"),
    _row("hcl", "Hcl", "", "hcl nomad tf tfvars workflow", stand_in="µ"),
    _row("html", "Html", "", "html htm xhtml", stand_in="z", markup=True),
    _row("java", "Java", "", "java"),
    _row("javascript", "JavaScript", "js jsx", "cjs js mjs jsx"),
    _row("json", "Json", "", "json", markup=True),
    _row("kotlin", "Kotlin", "kt", "kt ktm kts", stand_in="µ"),
    _row("lua", "Lua", "", "lua", legacy=None),  # the legacy one misreads `print(1)`
    _row("markdown", "Markdown", "md", "markdown md", markup=True),
    _row("nix", "Nix", "", "nix", stand_in="_", legacy=None),
    _row("php", "Php", "", "php", stand_in="µ", function="language_php_only", legacy=None),
    _row("python", "Python", "py", "py py3 pyi bzl bazel", stand_in="µ"),
    _row("ruby", "Ruby", "rb", "rb rbw gemspec", stand_in="µ"),
    _row("rust", "Rust", "rs", "rs", stand_in="µ"),
    _row("scala", "Scala", "", "scala sc sbt"),
    _row("solidity", "Solidity", "sol", "sol", legacy=None),
    _row("sql", "Sql", "", "sql", stand_in="_"),
    _row("swift", "Swift", "", "swift", stand_in="µ", legacy=None),
    _row("toml", "Toml", "", "toml", stand_in="_", markup=True),
    _row("tsx", "Tsx", "", "tsx", wheel="typescript", function="language_tsx"),
    _row("typescript", "TypeScript", "ts", "ts cts mts", function="language_typescript"),
    _row("yaml", "Yaml", "yml", "yaml yml", markup=True),
    _row("zig", "Zig", "", "zig", stand_in="_", legacy=None),
)


def _names() -> Iterator[tuple[str, Row]]:
    for row in _ROWS:
        yield from ((name, row) for name in (row.name, *row.aliases))


_BY_NAME = dict(_names())
_BY_SUFFIX = {suffix: row for row in _ROWS for suffix in row.suffixes}


def rows() -> tuple[Row, ...]:
    """Every language, in alphabetical order."""
    return _ROWS


def named(name: str) -> Row | None:
    """The language with this name or alias, in any case."""
    return _BY_NAME.get(name.lower())


def for_path(path: str) -> Row | None:
    """The language of a file by its suffix; `.env` has none, `a.env` has."""
    stem, _, suffix = path[path.rfind("/") + 1 :].rpartition(".")
    return _BY_SUFFIX.get(suffix) if stem else None


def unknown_language(name: str) -> RequestError:
    """The error: what was meant, if a name is spelled much like it, and where the names are."""
    hint = language_hint(name)
    return RequestError(f"Unknown language {name!r}.", hint=hint, code="unknown_language")


def language_hint(name: object) -> str:
    """What may have been meant by a language that there is not."""
    names = [known for row in rows() for known in (row.name, *row.aliases)]
    return f"{meant(names, name)}`astedit languages` lists the names and aliases."
