"""Rows of what lives longer than a command, and of what runs other programs."""

import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.commands import PYTHON, Pair, Place, theirs
from benchmarks.corpora import CACHE, DJANGO, HOME_ASSISTANT, generated, work_tree
from benchmarks.handed_over import COMMANDS
from benchmarks.measure import Command
from benchmarks.packages import Package, unpacked
from benchmarks.row import Make, Row
from benchmarks.targets import OURS, at_most, faster, memory, within

SELECTIVE = Pair("hass.async_create_task($$$A)", "hass.create($$$A)")
_DENSE = Pair("$F($A)", "$F($A, 1)")
_TOOLZ = Package("toolz", "1.0.0", "sdist")


def resident(*saved: str) -> Make:
    """The second call, or that after somebody has saved a file, which is parsed anew."""

    def row(place: Place) -> Row:
        home = work_tree(HOME_ASSISTANT)
        pair = (SELECTIVE.pat, SELECTIVE.out or "")
        second = place.python("benchmarks.resident", str(home), *pair, *saved)
        ours = replace(second, before=place.forget, itself=True)
        commands = {OURS: ours, "ast-grep": theirs(home, SELECTIVE)}
        return Row(commands, [faster("ast-grep", 20 if saved else 50), memory()])

    return row


def latency(way: str) -> Make:
    """A search of a hundred files in a server, beside the command."""

    def row(place: Place) -> Row:
        small = generated(100)
        called = place.python("benchmarks.tool_latency", str(small), way)
        search = place.ours(small, "search", "-l", "python", "-p", "old_name($$$A)", ".")
        commands = {OURS: replace(called, itself=True), "command": search}
        return Row(commands, [at_most(0.5, "command"), memory()])

    return row


def sandbox(way: str, limit: float) -> Make:
    """A command that does nothing, in a sandbox of a large tree."""

    def row(place: Place) -> Row:
        made = place.python("benchmarks.made_sandbox", str(work_tree(HOME_ASSISTANT)), way)
        return Row({OURS: replace(made, itself=True)}, [within(limit), memory()])

    return row


def prove(place: Place) -> Row:
    """Twice without the plan and once with it: three times the bare command, and how much more."""
    root = place.scratch / "toolz"
    command = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "toolz")
    bare = Command(command, root)

    def staged() -> None:
        place.forget()
        (source,) = unpacked(_TOOLZ, CACHE).iterdir()
        place.copy(source, root)
        bare.succeed()  # so that all find the byte code of the tests, as where one works
        place.ours(root, "edit", "--quiet", "-p", "return $A", "-r", "return ($A)", ".").succeed()

    ours = place.ours(root, "prove", "--", *command, before=staged)
    commands = {OURS: ours, "bare": bare, "again": bare, "once more": bare}
    return Row(commands, [at_most(1.5, "bare", "again", "once more"), memory()])


def review(what: str, limit: float) -> Make:
    """Some 16,000 edits of Django, in the terminal: a second for 10,000."""

    def row(place: Place) -> Row:
        django = work_tree(DJANGO)

        def staged() -> None:
            place.forget()
            place.ours(django, "edit", "--quiet", *_DENSE.options(), ".").succeed()

        opened = place.python("benchmarks.opened_review", str(django), what, before=staged)
        return Row({OURS: replace(opened, itself=True)}, [within(limit), memory()])

    return row


def page(limit: float) -> Make:
    """Some 2,700 edits of Django, in the browser: the first paint, from the link on."""

    def row(place: Place) -> Row:
        django = work_tree(DJANGO)

        def staged() -> None:
            place.forget()
            options = ("--quiet", "--allow-partial", "--max-replacements", "2700")
            place.ours(django, "edit", *options, *_DENSE.options(), ".").succeed()

        opened = place.python("benchmarks.opened_page", str(django), "paint", before=staged)
        return Row({OURS: replace(opened, itself=True)}, [within(limit)])

    return row


def handed_over(name: str, part: float, limit: float) -> Make:
    """A command that a resident answers, beside one without; a hook beside a bare interpreter."""

    def row(place: Place) -> Row:
        root = _one_file(place)
        asked = place.python("benchmarks.handed_over", str(root), name, str(part))
        commands = {OURS: replace(asked, itself=True)}
        if name == "hook":
            commands["python -c pass"] = Command((PYTHON, "-c", "pass"), root)
            return Row(commands, [within(limit), memory()])
        commands["command"] = place.ours(root, *COMMANDS[name], before=place.forget)
        return Row(commands, [at_most(limit, "command"), memory(300)])

    return row


def _one_file(place: Place) -> Path:
    root = place.scratch / "one"
    root.mkdir(exist_ok=True)
    (root / "a.py").write_text("f(1)\n")
    return root


def start(place: Place) -> Row:
    """The whole command for one small file, beside what it cannot do without."""
    root = _one_file(place)
    imports = "import click, tree_sitter, tree_sitter_python"
    commands = {
        OURS: place.ours(root, "search", "-l", "python", "-p", "f($A)", "a.py"),
        "its imports": Command((sys.executable, "-c", imports), root),
    }
    return Row(commands, [at_most(2, "its imports"), memory()])
