"""`astedit pack`: rule packages, fetched, pinned, verified and made."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import find_place
from astedit.errors import RequestError
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.packs.lock import LockedPack
    from astedit.packs.pack import Pack
    from astedit.packs.project import PackProject
    from astedit.packs.source import Files, PackUse
    from astedit.testing.verdict import Verdict

_MANIFEST = """\
name: {name}
version: 0.1.0
rules: [rules]
tests: [rule-tests]
"""
_RULE = """\
id: no-print
language: Python
severity: warning
message: Say what is wrong, and what to do instead.
rule:
  pattern: print($$$A)
"""
_TEST = "id: no-print\nvalid: [log(1)]\ninvalid: ['print(1)']\n"

names = click.argument("names", nargs=-1, metavar="[NAME]...")


@options.group("pack add 'git+https://example.org/rules@v1'")
def command() -> None:
    """Use and share packs of rules, pinned by a lock.

    The lock is astedit.lock. `scan` never fetches: what is missing is exit code 2, and
    `pack fetch` brings it.
    """


@command.command(epilog="Example: astedit pack add 'git+https://example.org/rules@v1'")
@click.argument("source", metavar="SOURCE")
@click.option("--name", metavar="NAME", help="What it is called here, if not as it says itself.")
@options.root
def add(source: str, name: str | None, root: str | None) -> int:
    """Add a pack to the project, fetch it, and pin it in astedit.lock."""
    from astedit.packs.lock import write_lock
    from astedit.packs.source import parse_use

    opened = _open(root)
    use = parse_use(source if name is None else {"use": source, "name": name}, "SOURCE")
    is_named = any(one.text == use.text for one in opened.uses)
    if is_named and (use not in opened.uses or use.text in opened.lock.packs):
        hint = f"astedit pack update brings a newer one of {use.text}."
        raise RequestError(f"{use.text} is in {opened.named_in(use.text)} already.", hint=hint)
    uses = [use]
    lines = [f"{opened.config}: {one_line(use.text)}"]
    for wanted in uses:  # and the packs that those name
        if wanted is use or wanted.text not in opened.lock.packs:
            pinned, pack, _ = opened.brought(wanted)
            opened.lock.packs[wanted.text] = pinned
            uses += pack.needs
            lines.append(f"astedit.lock: {_pinned_line(pinned)}, {len(pack.rules):,} rules")
            _tell(pack)
    opened.lock.refuse_twins()
    if not is_named:  # else a killed process has named it, and not pinned it
        opened.add(use)
    write_lock(opened.workspace, opened.lock)
    streams.texts(lines)
    return 0


@command.command(epilog="Example: astedit pack update")
@names
@options.root
def update(names: tuple[str, ...], root: str | None) -> int:
    """Show what is new in packs, run their tests, and pin them anew.

    A pack whose tests fail stays as it was, and the exit code is 1.
    """
    from astedit.packs.lock import differences, write_lock

    opened = _open(root)
    code = 0
    # without names those of the project, and what they name: what else the lock has is not brought
    uses = opened.chosen(names) if names else [*opened.uses]
    for at, use in enumerate(uses):
        if use in uses[:at]:
            continue
        pinned, pack, files = opened.brought(use)
        before = opened.lock.packs.get(use.text)
        if pinned == before:
            streams.note(f"{pinned.name}: nothing new ({_pinned_line(pinned)}).")
            uses += pack.needs
            continue
        streams.data(b"".join(differences(before, files)))
        verdicts = _tested(files, pack)
        failed = [verdict for verdict in verdicts if not verdict.passed]
        if failed:
            code = 1
            streams.texts(_verdict_lines(failed))
            streams.note(f"{pinned.name}: its tests fail, so astedit.lock keeps the old one.")
            continue
        opened.lock.packs[use.text] = pinned
        uses += pack.needs
        streams.note(f"{pinned.name}: {_pinned_line(pinned)}, {len(verdicts):,} tests passed.")
        _tell(pack)
    opened.forget_unnamed()
    write_lock(opened.workspace, opened.lock)
    return code


@command.command(epilog="Example: astedit pack remove house-rules")
@click.argument("name")
@options.root
def remove(name: str, root: str | None) -> int:
    """Take a pack out of the project and out of astedit.lock."""
    from astedit.packs.lock import write_lock

    opened = _open(root)
    for use in opened.chosen([name]):
        opened.forget_unnamed()  # all that is left to do after a kill in between
        if use in opened.uses or use.text in opened.lock.packs:
            opened.remove(use.text)
            opened.uses.remove(use)
            opened.lock.packs.pop(use.text, None)
            opened.forget_unnamed()
        streams.text(f"{opened.config}: without {one_line(use.text)}")
    write_lock(opened.workspace, opened.lock)
    return 0


@command.command("list", epilog="Example: astedit pack list --json")
@options.as_json
@options.root
def list_packs(as_json: bool, root: str | None) -> int:
    """List the packs of the project, with what the lock says of each."""
    opened = _open(root)
    rows = [_row(opened, use) for use in opened.all_uses()]
    nothing = "There is no pack; `astedit pack add SOURCE` adds one."
    document = {"schema": "astedit/packs/1", "packs": rows}
    streams.answer(document, map(_listed, rows), as_json=as_json, nothing=nothing)
    return 0


@command.command(epilog="Example: astedit pack fetch")
@options.root
def fetch(root: str | None) -> int:
    """Bring exactly the packs that astedit.lock pins into the cache; nothing else changes."""
    from astedit.packs.lock import keep
    from astedit.packs.source import bad_pack, fetch, parse_use

    opened = _open(root)
    for use in opened.uses:
        if use.kind == "git" and use.text not in opened.lock.packs:
            opened.files(use)  # which says what to do
    for pinned in opened.lock.packs.values():
        use = parse_use(pinned.source, "astedit.lock")
        if use.kind != "git":
            continue
        if pinned.cached() is not None:
            streams.note(f"{pinned.name}: is here.")
            continue
        _, files = fetch(use, pinned.commit)
        for path, _ in pinned.changes(files):
            hint = "Whoever serves the repository changed it: look before `astedit pack update`."
            problem = f"{use.text}: {path} is not what astedit.lock says"
            raise bad_pack(problem, hint, "pack_changed")
        keep(files)
        streams.note(f"{pinned.name}: fetched {_pinned_line(pinned)}.")
    return 0


@command.command(epilog="Example: astedit pack verify")
@names
@options.as_json
@options.root
def verify(names: tuple[str, ...], as_json: bool, root: str | None) -> int:
    """Compare packs with astedit.lock, and compile every rule.

    Exit code 1 says that a file changed, or that a rule is left out or has an unknown key.
    """
    opened = _open(root)
    rows = [_verified(opened, use) for use in opened.chosen(names)]
    passed = not any(row["problems"] for row in rows)
    document = {"schema": "astedit/pack-verify/1", "passed": passed, "packs": rows}
    streams.answer(document, (line for row in rows for line in _told(row)), as_json=as_json)
    return 0 if passed else 1


@command.command(epilog="Example: astedit pack test ./house-rules")
@click.argument("name", metavar="NAME|DIR")
@options.root
def test(name: str, root: str | None) -> int:
    """Run the tests of a pack: one of the project, or a directory."""
    from astedit.packs.pack import read_pack
    from astedit.packs.source import PackUse, read_directory

    if os.path.isdir(name):
        path = os.path.realpath(name)
        use, files = PackUse(path, "directory", path), read_directory(path, name)
    else:
        opened = _open(root)
        (use,) = opened.chosen([name])[:1]
        files = opened.pinned_files(use)
    pack = read_pack(files, use, {})
    _tell(pack)
    verdicts = _tested(files, pack)
    streams.texts(_verdict_lines(verdicts))
    return 0 if all(verdict.passed for verdict in verdicts) else 1


@command.command(epilog="Example: astedit pack run house-rules/modernize")
@click.argument("name", metavar="[PACK/]RECIPE")
@click.option("--each", is_flag=True, help="Stage a plan for each step, on top of the one before.")
@click.option("--commands", is_flag=True, help="Run its commands, each in a sandbox.")
@options.pager
@options.operating
def run(name: str, each: bool, commands: bool, **flags: Any) -> int:
    """Run a recipe: its steps in order, staged as one plan.

    A recipe is a list of rules, packs, codemods and commands in astedit-pack.yml. With
    `astedit land --by rule` each step is a commit of its own.
    """
    from astedit.cli.recipe import run_recipe

    return run_recipe(name, find_place(flags["root"]), each=each, commands=commands, flags=flags)


@command.command(epilog="Example: astedit pack new house-rules")
@click.argument("name", metavar="DIR")
@options.root
def new(name: str, root: str | None) -> int:
    """Start a pack in a new directory: its manifest, a rule and a test."""
    from astedit.packs.pack import MANIFEST
    from astedit.packs.source import check_name
    from astedit.transaction.user_files import create_all

    place = find_place(root, default=os.getcwd())
    below = place.below(name) or ""
    own = below.rpartition("/")[2]
    check_name(own, name or "DIR")
    texts = {
        MANIFEST: _MANIFEST.format(name=own),
        "rules/no-print.yml": _RULE,
        "rule-tests/no-print-test.yml": _TEST,
    }
    files = {f"{below}/{path}": text for path, text in texts.items()}
    streams.texts(create_all(place.workspace.fd, files))
    return 0


def _open(root: str | None) -> "PackProject":
    from astedit.packs.project import PackProject

    place = find_place(root)
    return PackProject.open(place.workspace, place.config)


def _pinned_line(pinned: "LockedPack") -> str:
    commit = f" @{pinned.commit[:12]}" if pinned.commit else ""
    return one_line(f"{pinned.name} {pinned.version}".strip() + commit)


def _tell(pack: "Pack") -> None:
    _warn(pack, (*pack.warnings, *pack.left_out))


def _warn(pack: "Pack", warnings: Iterable[str]) -> None:
    streams.warn(f"{one_line(pack.name)}: {one_line(warning)}" for warning in warnings)


def _row(opened: "PackProject", use: "PackUse") -> dict[str, Any]:
    row: dict[str, Any] = {"name": use.default_name, "version": "", "source": use.text}
    row |= {"commit": "", "rules": None}
    try:
        pack = opened.read(use)
        row |= {"name": pack.name, "version": pack.version, "rules": len(pack.rules)}
        row |= {"recipes": sorted(pack.recipes)} if pack.recipes else {}
    except RequestError as error:
        streams.note(f"warning: {error.message}")
    if (pinned := opened.lock.packs.get(use.text)) is not None:
        row |= {key: getattr(pinned, key) for key in ("name", "version", "commit")}
    return row


def _listed(row: dict[str, Any]) -> str:
    rules = "not here" if row["rules"] is None else f"{row['rules']:,} rules"
    version = f" {row['version']}" if row["version"] else ""
    commit = f" @{row['commit'][:12]}" if row["commit"] else ""
    return one_line(f"{row['name']}{version}{commit}  {row['source']}  {rules}")


def _verified(opened: "PackProject", use: "PackUse") -> dict[str, Any]:
    from astedit.packs.pack import read_pack
    from astedit.semantic import NAMES
    from astedit.testing.verdict import uncompiled

    pinned, files = opened.lock.packs.get(use.text), opened.files(use)
    changed = pinned.changes(files) if pinned is not None else ()
    problems = [f"{path}: {what}" for path, what in changed]
    pack = read_pack(files, use, {})
    problems += [*pack.warnings, *pack.left_out, *uncompiled(pack, NAMES)]
    return {"name": pack.name, "source": use.text, "rules": len(pack.rules), "problems": problems}


def _told(row: dict[str, Any]) -> Iterator[str]:
    yield f"{one_line(row['name'])}: {'ok' if not row['problems'] else 'not ok'}"
    yield from (f"  {one_line(problem)}" for problem in row["problems"])


def _tested(files: "Files", pack: "Pack") -> "list[Verdict]":
    from astedit.semantic import NAMES
    from astedit.testing.verdict import tested

    verdicts, warnings = tested(files, pack, NAMES)
    _warn(pack, warnings)
    return verdicts


def _verdict_lines(verdicts: "Sequence[Verdict]") -> Iterator[str]:
    for verdict in verdicts:
        yield f"{'PASS' if verdict.passed else 'FAIL'} {one_line(verdict.test.id)}"
        for outcome in verdict.outcomes:
            if not outcome.passed:
                yield f"  [{outcome.status}] {one_line(outcome.code)}"
                yield from map(one_line, outcome.why)
    passed = sum(verdict.passed for verdict in verdicts)
    yield f"{passed:,} passed; {len(verdicts) - passed:,} failed"
