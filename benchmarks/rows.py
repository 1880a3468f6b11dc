"""What is measured: each row of the table of targets that exists so far."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.commands import PYTHON, Pair, Place, theirs
from benchmarks.corpora import DJANGO, HOME_ASSISTANT, RXJS, THREE, work_tree
from benchmarks.measure import Command
from benchmarks.packages import Package, Unavailable
from benchmarks.targets import OURS, Target, at_most, faster, memory

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


def _previewed(package: Package, pair: Pair, limit: float) -> Callable[[Place], Row]:
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


def _search(place: Place) -> Row:
    home = work_tree(HOME_ASSISTANT)
    commands = {
        OURS: place.ours(home, "search", "-p", UNSELECTIVE.pat, "."),
        "ast-grep": theirs(home, Pair(UNSELECTIVE.pat)),
    }
    return Row(commands, [faster("ast-grep", 1), memory()])


def _staged(pair: Pair) -> Callable[[Place], Row]:
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
    return Row(commands, [faster("libcst codemod", 30)], frozenset({"libcst codemod"}))


def _semgrep(place: Place) -> Row:
    if shutil.which("semgrep") is None:
        raise Unavailable("semgrep is not installed")
    home = work_tree(HOME_ASSISTANT)
    options = ("--metrics=off", "--disable-version-check", "--quiet", "-l", "python")
    peer = Command(("semgrep", *options, "-e", "hass.async_create_task(...)", "."), home)
    ours = place.ours(home, "search", "-p", SELECTIVE.pat, ".")
    return Row({OURS: ours, "semgrep": peer}, [faster("semgrep", 40)], frozenset({"semgrep"}))


def _grown(small: int, large: int) -> Callable[[Place], Row]:
    def row(place: Place) -> Row:
        commands = {
            OURS: place.preview(place.generated(large), GENERATED),
            f"{small} files": place.preview(place.generated(small), GENERATED),
        }
        return Row(commands, [at_most(large / small, f"{small} files"), memory()])

    return row


def _apply(place: Place) -> Row:
    tree, root, plain = place.generated(1_000), place.scratch / "apply", place.scratch / "plain"

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


ROWS: dict[str, Callable[[Place], Row]] = {
    "selective, edit --no-stage": _previewed(HOME_ASSISTANT, SELECTIVE, 4),
    "nothing matches, edit --no-stage": _nothing,
    "unselective, search": _search,
    "unselective, edit --no-stage": _previewed(HOME_ASSISTANT, UNSELECTIVE, 0.7),
    "selective, staging": _staged(SELECTIVE),
    "unselective, staging": _staged(UNSELECTIVE),
    "selective, search, semgrep": _semgrep,
    "Django, rename a call": _rename,
    "rxjs, selective": _previewed(RXJS, Pair("operate($$$A)", "lift($$$A)"), 1),
    "three.js, selective": _previewed(THREE, Pair("console.warn($$$A)", "warn($$$A)"), 1),
    "three.js, unselective": _previewed(THREE, Pair("this.$F = $V", "this.$F = ($V)"), 0.7),
    "1,000 generated files": _grown(100, 1_000),
    "10,000 generated files": _grown(1_000, 10_000),
    "apply 1,000 files": _apply,
    "--version": _version,
}
