"""A project with the rules of its packs: what `packs:` of sgconfig.yml or astedit.toml names."""

from collections.abc import Iterator
from dataclasses import replace

from astedit.errors import PreconditionError
from astedit.packs.lock import Lock, read_lock, read_pinned
from astedit.packs.pack import Pack, read_pack
from astedit.packs.source import PackUse, bad_pack, parse_use
from astedit.rule.document import Document
from astedit.rule.failure import TurnedOff, some_of
from astedit.rule.project import Project, load_project, project_or_none_yet
from astedit.workspace.config import Config, settings_of
from astedit.workspace.root import Workspace

SETTINGS = "astedit.toml"
_NAMED = 3  # unknown keys of a pack that a scan names


def project_with_packs(
    workspace: Workspace,
    config: str | None = None,
    *,
    off: TurnedOff | None = None,
    settings: Config | None = None,
) -> Project:
    """The project, its own rules first, then those of its packs. Fetches nothing.

    Without sgconfig.yml it is what astedit.toml names alone. Raises what `load_project` does,
    and `RequestError` for a pack that is missing or is not what the lock says.
    """
    more = settings_of(workspace, settings).packs
    try:
        project = load_project(workspace, config, off=off)
    except PreconditionError as error:
        if error.code != "no_project" or config is not None or not more:
            raise
        project = Project(SETTINGS)
    if not project.packs and not more:
        return project
    packs = [pack for _, pack in read_packs(workspace, uses(project, more), project.directory)]
    warnings = [line for pack in packs for line in _warnings(pack)]
    return replace(
        project,
        rules=(*project.rules, *(rule for pack in packs for rule in pack.rules)),
        utils=(*project.utils, *(one for pack in packs for one in pack.utils)),
        warnings=(*project.warnings, *warnings),
    )


def _warnings(pack: Pack) -> Iterator[str]:
    """What is left out is named; of unknown keys the first few, since public rules have many."""
    yield from (f"{pack.name}: {line}" for line in pack.left_out)
    yield from (f"{pack.name}: {line}" for line in pack.warnings[:_NAMED])
    if (more := len(pack.warnings) - _NAMED) > 0:
        yield f"{pack.name}: {more:,} more such keys; astedit pack verify lists them"


def uses(project: Project, more: tuple[object, ...]) -> list[PackUse]:
    """The entries of a project, and of astedit.toml, taken apart."""
    own = [parse_use(entry, f"{project.config}, packs") for entry in project.packs]
    return [*own, *(parse_use(entry, f"{SETTINGS}, packs") for entry in more)]


def read_packs(
    workspace: Workspace, entries: list[PackUse], directory: str, lock: Lock | None = None
) -> Iterator[tuple[PackUse, Pack]]:
    """Each pack as the lock pins it. Two of one name are refused."""
    lock = read_lock(workspace) if lock is None else lock
    names: dict[str, str] = {}
    for use in entries:
        files = read_pinned(use, lock, workspace, directory)
        pinned = lock.packs.get(use.text)
        mark = {"commit": pinned.commit, "lock": lock.digest} if pinned is not None else {}
        pack = read_pack(files, use, {key: text for key, text in mark.items() if text})
        if (twin := names.setdefault(pack.name, use.text)) != use.text:
            hint = "Leave one out, or give it a name of its own: {use: …, name: other}."
            raise bad_pack(f"{twin} and {use.text} are both called {pack.name}", hint, "two_packs")
        yield use, pack


def pack_rules(workspace: Workspace, name: str) -> tuple[list[Document], list[Document]]:
    """The rules and utilities of one pack of the project, by its name or source."""
    settings = settings_of(workspace, None)
    project = project_or_none_yet(workspace)
    names = []
    for use, pack in read_packs(workspace, uses(project, settings.packs), project.directory):
        if name in (pack.name, use.text):
            return pack.rules, pack.utils
        names.append(pack.name)
    hint = some_of(names, name) if names else "astedit pack add SOURCE adds one."
    raise bad_pack(f"The project has no pack {name!r}", hint, "no_pack")
