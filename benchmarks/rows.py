"""What is measured: each row of the table of targets, by the name it is asked for."""

import shutil

from benchmarks import host_rows
from benchmarks.commands import PYTHON, Pair, Place, ast_grep, theirs
from benchmarks.corpora import (
    DJANGO,
    GRPC,
    HOME_ASSISTANT,
    RXJS,
    SYMPY,
    THREE,
    generated,
    tiny_files,
    work_tree,
)
from benchmarks.drawn import COUNT, drawn
from benchmarks.lint_rules import lint_rules, named_rules
from benchmarks.measure import Command
from benchmarks.packages import Package
from benchmarks.peers import semgrep
from benchmarks.row import Make, Row
from benchmarks.targets import OURS, at_most, faster, memory, no_more_memory, within

NOTHING = Pair("nothing_is_called_so($$$A)", "x($$$A)")
UNSELECTIVE = Pair("self.$F = $V", "self.$F = ($V)")
RENAME = Pair("force_str($$$A)", "as_text($$$A)")
GENERATED = Pair("old_name($$$A)", "new_name($$$A)")


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
    return Row(commands, [faster("ast-grep", 7), at_most(3, "grep"), memory()])


def _searched(package: Package, pair: Pair, limit: float) -> Make:
    def row(place: Place) -> Row:
        root = work_tree(package)
        commands = {
            OURS: place.ours(root, "search", *pair.options(), "."),
            "ast-grep": theirs(root, pair),
        }
        return Row(commands, [faster("ast-grep", limit), memory()])

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


def _rules(text: str, limit: float, *form: str) -> Make:
    """Both read the same file of rules, and print every finding."""

    def row(place: Place) -> Row:
        home, rules = work_tree(HOME_ASSISTANT), place.scratch / "rules.yml"
        rules.write_text(text)
        options = ("scan", "-r", str(rules), *form, ".")
        commands = {OURS: place.ours(home, *options), "ast-grep": ast_grep(home, *options)}
        return Row(commands, [faster("ast-grep", limit), memory()])

    return row


def _drawn(number: int) -> Make:
    """One of the patterns that the corpus itself has given."""

    def row(place: Place) -> Row:
        home = work_tree(HOME_ASSISTANT)
        return _previewed(HOME_ASSISTANT, drawn(home)[number], 1)(place)

    return row


def _tiny(place: Place) -> Row:
    """Where starting is all there is to do: ast-grep needs no interpreter."""
    root = generated(10, every=1)
    commands = {OURS: place.preview(root, GENERATED), "ast-grep": theirs(root, GENERATED)}
    return Row(commands, [within(0.25), memory()])


def _million(place: Place) -> Row:
    few = "100,000 files"
    commands = {
        OURS: place.preview(tiny_files(1_000_000), GENERATED),
        few: place.preview(tiny_files(100_000), GENERATED),
    }
    return Row(commands, [at_most(12, few), memory(1000)])


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
    "selective": ("selective, edit --no-stage", _previewed(HOME_ASSISTANT, host_rows.SELECTIVE, 5)),
    "nothing": ("nothing matches, edit --no-stage", _nothing),
    "search": ("unselective, search", _searched(HOME_ASSISTANT, Pair(UNSELECTIVE.pat), 0.95)),
    "search-django": ("Django, unselective, search", _searched(DJANGO, Pair(UNSELECTIVE.pat), 1.1)),
    "unselective": ("unselective, edit --no-stage", _previewed(HOME_ASSISTANT, UNSELECTIVE, 0.6)),
    "staging": ("selective, staging", _staged(host_rows.SELECTIVE)),
    "staging-unselective": ("unselective, staging", _staged(UNSELECTIVE)),
    "semgrep": (
        "selective, search",
        _semgrep(host_rows.SELECTIVE.pat, "hass.async_create_task(...)"),
    ),
    "semgrep-unselective": ("unselective, search", _semgrep(UNSELECTIVE.pat, "self.$F = $V")),
    "libcst": ("Django, rename a call", _rename),
    "rules-200": (
        "200 rules, half by kind, scan --json",
        _rules(lint_rules(), 1, "--json=compact"),
    ),
    "rules-named": ("200 rules by name, scan", _rules(named_rules(), 2)),
    "rules-named-json": ("200 rules by name, --json", _rules(named_rules(), 2, "--json=compact")),
    "resident": ("selective, second call, resident", host_rows.resident()),
    "resident-saved": (
        "the same, a file saved before each",
        host_rows.resident("homeassistant/core.py"),
    ),
    "apply": ("apply 1,000 files", _apply),
    "sympy": ("sympy, selective", _previewed(SYMPY, Pair("Rational($$$A)", "Frac($$$A)"), 1)),
    "rxjs": (
        "rxjs, selective",
        _previewed(RXJS, Pair("operate($$$A)", "lift($$$A)", "javascript"), 0.5),
    ),
    "three": (
        "three.js, selective",
        _previewed(THREE, Pair("console.warn($$$A)", "warn($$$A)", "javascript"), 1.8),
    ),
    "three-unselective": (
        "three.js, unselective",
        _previewed(THREE, Pair("this.$F = $V", "this.$F = ($V)", "javascript"), 0.7),
    ),
    "c": ("gRPC, C, search", _searched(GRPC, Pair("OPENSSL_free($$$A);", lang="c"), 1)),
    "files-1000": ("1,000 generated files", _grown(100, 1_000)),
    "files-10000": ("10,000 generated files", _grown(1_000, 10_000)),
    "files-100000": ("100,000 generated files", _grown(10_000, 100_000)),
    "memory": ("100,000 files, nothing matches", _unmatched(10_000, 100_000)),
    "version": ("--version", _version),
    "start": ("search, one small file", host_rows.start),
    "tiny": ("10 files, edit --no-stage", _tiny),
    "return-search": ("return $A, search", _searched(HOME_ASSISTANT, Pair("return $A"), 0.95)),
    "return": (
        "return $A, edit",
        _previewed(HOME_ASSISTANT, Pair("return $A", "return ($A)"), 0.5),
    ),
    "required": (
        "vol.Required($A), edit",
        _previewed(HOME_ASSISTANT, Pair("vol.Required($A)", "vol.Req($A)"), 1.6),
    ),
    "warning": (
        "_LOGGER.warning($$$A), edit",
        _previewed(HOME_ASSISTANT, Pair("_LOGGER.warning($$$A)", "_LOGGER.warn($$$A)"), 2.5),
    ),
    **{f"drawn-{n + 1}": (f"drawn pattern {n + 1}", _drawn(n)) for n in range(COUNT)},
    "files-1000000": ("1,000,000 small files", _million),
    "latency-stdio": ("a small tool call, stdio", host_rows.latency("stdio")),
    "latency-http": ("a small tool call, HTTP", host_rows.latency("http")),
    "hook": ("a hook's call, median", host_rows.handed_over("hook", 0.5, 0.1)),
    "hook-p99": ("the same, 99th of a hundred", host_rows.handed_over("hook", 0.99, 0.25)),
    "handed-search": (
        "search of one file, by a resident",
        host_rows.handed_over("search", 0.5, 0.35),
    ),
    "handed-edit": ("edit of one file, by a resident", host_rows.handed_over("edit", 0.5, 0.35)),
    "sandbox": ("a sandbox, overlay", host_rows.sandbox("overlay", 0.1)),
    "prove": ("prove, toolz", host_rows.prove),
    "review": ("review of 16,000 edits, opened", host_rows.review("open", 1.6)),
    "review-page": ("2,700 edits in the browser, first paint", host_rows.page(1.5)),
    "review-key": ("the same, a key", host_rows.review("key", 0.05)),
}
"""By name: what it is called in the table, and its commands."""
