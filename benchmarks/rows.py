"""What is measured: each row of the table of targets, by the name it is asked for."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from benchmarks.commands import PYTHON, Pair, Place, ast_grep, theirs
from benchmarks.corpora import (
    DJANGO,
    GRPC,
    HOME_ASSISTANT,
    RXJS,
    SYMPY,
    THREE,
    generated,
    work_tree,
)
from benchmarks.lint_rules import lint_rules, named_rules
from benchmarks.measure import Command
from benchmarks.packages import Package
from benchmarks.peers import semgrep
from benchmarks.targets import OURS, Target, at_most, faster, memory, no_more_memory

SELECTIVE = Pair("hass.async_create_task($$$A)", "hass.create($$$A)")
NOTHING = Pair("nothing_is_called_so($$$A)", "x($$$A)")
UNSELECTIVE = Pair("self.$F = $V", "self.$F = ($V)")
RENAME = Pair("force_str($$$A)", "as_text($$$A)")
GENERATED = Pair("old_name($$$A)", "new_name($$$A)")


@dataclass(frozen=True)
class Row:
    """Commands that do the same work, and what is asked of ours; `slow` ones run once."""

    commands: dict[str, Command]
    targets: list[Target]
    slow: frozenset[str] = field(default_factory=frozenset)


Make = Callable[[Place], Row]


def _previewed(package: Package, pair: Pair, limit: float) -> Make:
    def row(place: Place) -> Row:
        root = work_tree(package)
        commands = {OURS: place.preview(root, pair), "ast-grep": theirs(root, pair)}
        return Row(commands, [faster("ast-grep", limit), memory()])

    return row


def _nothing(place: Place) -> Row:
    home = work_tree(HOME_ASSISTANT)
    commands = {
        OURS: place.preview(home, NOTHING),
        "ast-grep": theirs(home, NOTHING),
        "grep": Command(
            ("grep", "-rl", "--exclude-dir=.git", "nothing_is_called_so", "."), home, fruitless=1
        ),
    }
    return Row(commands, [faster("ast-grep", 6), at_most(3, "grep"), memory()])


def _searched(package: Package, pair: Pair) -> Make:
    def row(place: Place) -> Row:
        root = work_tree(package)
        commands = {
            OURS: place.ours(root, "search", *pair.options(), "."),
            "ast-grep": theirs(root, pair),
        }
        return Row(commands, [faster("ast-grep", 1), memory()])

    return row


def _staged(pair: Pair) -> Make:
    def row(place: Place) -> Row:
        home = work_tree(HOME_ASSISTANT)
        staged = place.ours(home, "edit", *pair.options(), ".", before=place.forget)
        commands = {OURS: staged, "--no-stage": place.preview(home, pair)}
        return Row(commands, [at_most(1.1, "--no-stage", extra=0.02), memory()])

    return row


def _rename(place: Place) -> Row:
    """libcst rewrites in place, so it gets a copy."""
    django, copy = work_tree(DJANGO), place.scratch / "libcst"

    def afresh() -> None:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(django / "django", copy)

    codemod = ("codemod", "-x", "benchmarks.rename_codemod.RenameCall", "--no-format", "-j", "2")
    peer = place.python("libcst.tool", *codemod, str(copy), before=afresh)
    commands = {OURS: place.preview(django, RENAME), "libcst codemod": peer}
    return Row(commands, [faster("libcst codemod", 30), memory()], frozenset({"libcst codemod"}))


def _semgrep(pat: str, theirs: str) -> Make:
    """semgrep takes a minute or more, so it runs once."""

    def row(place: Place) -> Row:
        home = work_tree(HOME_ASSISTANT)
        options = ("--metrics=off", "--disable-version-check", "--quiet", "-l", "python")
        peer = Command((str(semgrep()), *options, "-e", theirs, "."), home)
        ours = place.ours(home, "search", "-p", pat, ".")
        return Row(
            {OURS: ours, "semgrep": peer}, [faster("semgrep", 40), memory()], frozenset({"semgrep"})
        )

    return row


def _rules(text: str, *form: str) -> Make:
    """Both read the same file of rules, and print every finding."""

    def row(place: Place) -> Row:
        home, rules = work_tree(HOME_ASSISTANT), place.scratch / "rules.yml"
        rules.write_text(text)
        options = ("scan", "-r", str(rules), *form, ".")
        commands = {OURS: place.ours(home, *options), "ast-grep": ast_grep(home, *options)}
        return Row(commands, [faster("ast-grep", 2), memory()])

    return row


def _resident(place: Place) -> Row:
    home = work_tree(HOME_ASSISTANT)
    second = place.python("benchmarks.resident", str(home), SELECTIVE.pat, SELECTIVE.out or "")
    ours = replace(second, before=place.forget, itself=True)
    commands = {OURS: ours, "ast-grep": theirs(home, SELECTIVE)}
    return Row(commands, [faster("ast-grep", 20), memory()])


def _grown(small: int, large: int) -> Make:
    def row(place: Place) -> Row:
        commands = {
            OURS: place.preview(generated(large), GENERATED),
            f"{small:,} files": place.preview(generated(small), GENERATED),
        }
        return Row(commands, [at_most(large / small, f"{small:,} files"), memory()])

    return row


def _unmatched(small: int, large: int) -> Make:
    """Memory does not grow with files that do not match."""

    def row(place: Place) -> Row:
        few = f"{small:,} files"
        commands = {
            OURS: place.preview(generated(large), NOTHING),
            few: place.preview(generated(small), NOTHING),
        }
        return Row(commands, [at_most(large / small, few), no_more_memory(few), memory()])

    return row


def _apply(place: Place) -> Row:
    tree, root, plain = generated(1_000, every=1), place.scratch / "apply", place.scratch / "plain"

    def staged() -> None:
        place.copy(tree, root)
        place.ours(root, "edit", "--quiet", *GENERATED.options(), ".").succeed()

    commands = {
        OURS: place.ours(root, "resolve", "apply", "--reason", "measured", before=staged),
        "rerun": place.preview(tree, GENERATED),
        "plain write": place.python(
            "benchmarks.plain_write", str(plain), str(root), before=lambda: place.copy(tree, plain)
        ),
    }
    return Row(commands, [at_most(2, "rerun", "plain write"), memory()])


def _version(place: Place) -> Row:
    peer = Command((PYTHON, "-c", "pass"), place.scratch)
    commands = {OURS: place.ours(place.scratch, "--version"), "python -c pass": peer}
    return Row(commands, [at_most(3, "python -c pass")])


ROWS: dict[str, tuple[str, Make]] = {
    "selective": ("selective, edit --no-stage", _previewed(HOME_ASSISTANT, SELECTIVE, 4)),
    "nothing": ("nothing matches, edit --no-stage", _nothing),
    "search": ("unselective, search", _searched(HOME_ASSISTANT, Pair(UNSELECTIVE.pat))),
    "unselective": ("unselective, edit --no-stage", _previewed(HOME_ASSISTANT, UNSELECTIVE, 0.7)),
    "staging": ("selective, staging", _staged(SELECTIVE)),
    "staging-unselective": ("unselective, staging", _staged(UNSELECTIVE)),
    "semgrep": ("selective, search", _semgrep(SELECTIVE.pat, "hass.async_create_task(...)")),
    "semgrep-unselective": ("unselective, search", _semgrep(UNSELECTIVE.pat, "self.$F = $V")),
    "libcst": ("Django, rename a call", _rename),
    "rules-200": ("200 rules, half by kind, scan --json", _rules(lint_rules(), "--json=compact")),
    "rules-named": ("200 rules by name, scan", _rules(named_rules())),
    "rules-named-json": ("200 rules by name, --json", _rules(named_rules(), "--json=compact")),
    "resident": ("selective, second call, resident", _resident),
    "apply": ("apply 1,000 files", _apply),
    "sympy": ("sympy, selective", _previewed(SYMPY, Pair("Rational($$$A)", "Frac($$$A)"), 1)),
    "rxjs": (
        "rxjs, selective",
        _previewed(RXJS, Pair("operate($$$A)", "lift($$$A)", "javascript"), 1),
    ),
    "three": (
        "three.js, selective",
        _previewed(THREE, Pair("console.warn($$$A)", "warn($$$A)", "javascript"), 1),
    ),
    "three-unselective": (
        "three.js, unselective",
        _previewed(THREE, Pair("this.$F = $V", "this.$F = ($V)", "javascript"), 0.7),
    ),
    "c": ("gRPC, C, search", _searched(GRPC, Pair("OPENSSL_free($$$A);", lang="c"))),
    "files-1000": ("1,000 generated files", _grown(100, 1_000)),
    "files-10000": ("10,000 generated files", _grown(1_000, 10_000)),
    "files-100000": ("100,000 generated files", _grown(10_000, 100_000)),
    "memory": ("100,000 files, nothing matches", _unmatched(10_000, 100_000)),
    "version": ("--version", _version),
}
"""By name: what it is called in the table, and its commands."""
