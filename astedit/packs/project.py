"""A project with the rules of its packs: what `packs:` of sgconfig.yml or astedit.toml names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.packs.lock import (
    LOCK,
    Lock,
    LockedPack,
    cached,
    changed,
    hashes,
    keep,
    read_lock,
    refuse_twin,
)
from astedit.packs.pack import Pack, read_pack
from astedit.packs.source import Files, PackUse, bad_pack, fetch, parse_use, read_installed
from astedit.rule.document import Document
from astedit.rule.failure import TurnedOff, some_of
from astedit.rule.project import Project, load_project, project_or_none_yet
from astedit.workspace.config import Config, settings_of
from astedit.workspace.root import Workspace

SETTINGS = "astedit.toml"
_HERE = ("/", "file:")  # how the address of a repository on this machine begins
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
    entries, lock = uses(project, more), read_lock(workspace)
    opened = PackProject(workspace, entries, project.directory, project.config, lock)
    packs = [pack for _, pack in opened.packs(off)]
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


class PackProject(NamedTuple):
    """What a project says of its packs, and its lock; `directory` is what `./` stands for."""

    workspace: Workspace
    uses: list[PackUse]
    directory: str
    config: str
    lock: Lock

    @classmethod
    def open(cls, workspace: Workspace, settings: Config | None = None) -> Self:
        """Raises `RequestError` for a bad entry, or a bad lock."""
        project = project_or_none_yet(workspace)
        entries = uses(project, settings_of(workspace, settings).packs)
        lock = read_lock(workspace)
        return cls(workspace, entries, project.directory, project.config, lock)

    def all_uses(self) -> list[PackUse]:
        """The entries, and the packs of the lock that other packs name."""
        own = {use.text for use in self.uses}
        named = [parse_use(source, LOCK) for source in self.lock.packs if source not in own]
        return [*self.uses, *named]

    def chosen(self, names: Sequence[str]) -> list[PackUse]:
        """The entries of these names or sources; all without any. Raises `RequestError`."""
        known = {}
        uses = self.all_uses()
        for use in uses:
            pinned = self.lock.packs.get(use.text)
            known[use.text] = {use.text, use.default_name if pinned is None else pinned.name}
        everything = sorted(set().union(*known.values()))
        for name in set(names).difference(everything):
            hint = some_of(everything, name) if known else "astedit pack add SOURCE adds one."
            raise bad_pack(f"There is no pack {name!r} here", hint, "no_pack")
        return [use for use in uses if not names or known[use.text] & set(names)]

    def files(self, use: PackUse) -> Files:
        """The files of a pack as they lie here; nothing is fetched.

        Raises `RequestError` (`no_pack`) for a pack that is not here.
        """
        pinned = self.lock.packs.get(use.text)
        if pinned is None and use.kind != "directory":
            hint = f"astedit pack add '{use.text}' brings it and writes {LOCK}."
            if self.lock.content is not None:
                hint = "astedit pack update writes it; then astedit pack fetch brings it."
            raise bad_pack(f"The pack {use.text} is not in {LOCK}", hint, "no_pack")
        if use.kind != "git" or pinned is None:
            return read_installed(use, self.workspace, self.directory)
        files = cached(pinned)
        if files is None:
            hint = "astedit pack fetch brings exactly what the lock says."
            raise bad_pack(f"The pack {use.text} was not fetched", hint, "no_pack")
        return files

    def pinned_files(self, use: PackUse) -> Files:
        """The same, as the lock pins them: `pack_changed` for others.

        A directory of the tree itself may do without a lock.
        """
        files = self.files(use)
        pinned = self.lock.packs.get(use.text)
        if pinned is not None and (path := changed(pinned, files)) is not None:
            hint = "astedit pack verify lists what changed; astedit pack update accepts it."
            raise bad_pack(f"{use.text}: {path} is not what {LOCK} says", hint, "pack_changed")
        return files

    def read(self, use: PackUse) -> Pack:
        """A pack as the lock pins it."""
        files, pinned = self.pinned_files(use), self.lock.packs.get(use.text)
        mark = {"commit": pinned.commit, "lock": self.lock.digest} if pinned is not None else {}
        return read_pack(files, use, {key: text for key, text in mark.items() if text})

    def brought(self, use: PackUse) -> tuple[LockedPack, Pack, Files]:
        """A pack as it is now, at its source; its files go into the cache."""
        commit = ""
        if use.kind == "git":
            commit, files = fetch(use, None)
        else:
            files = read_installed(use, self.workspace, self.directory)
        pack = read_pack(files, use, {})
        outside = use.kind != "directory" and not use.place.startswith(_HERE)
        for need in pack.needs:
            if outside and need.kind == "git" and need.place.startswith(_HERE):
                hint = "Add it to the project itself, if you know what it is."
                raise bad_pack(f"{use.text} names {need.text}, which is on this machine", hint)
        if not (pack.rules or pack.needs or pack.recipes):
            raise RequestError(f"There is no rule in the pack {use.text}.", code="no_rules")
        keep(files)  # of any kind: the next update compares with them
        return LockedPack(use.text, pack.name, pack.version, commit, hashes(files)), pack, files

    def packs(self, off: TurnedOff | None = None) -> Iterator[tuple[PackUse, Pack]]:
        """All of them, and those that they name. Two of one name are refused.

        With an `off` that goes on without what is wrong so is one that cannot be had.
        """
        sources: dict[str, str] = {}
        waiting, seen = [*self.uses], set[str]()
        for use in waiting:
            if use.text not in seen:
                seen.add(use.text)
                try:
                    pack = self.read(use)
                    refuse_twin(sources, pack.name, use.text)
                except AstEditError as error:
                    if off is None or not off.leaves_out(error):
                        raise
                    error.path = error.path or self.config
                    continue
                waiting += pack.needs
                yield use, pack


def pack_rules(workspace: Workspace, name: str) -> tuple[list[Document], list[Document]]:
    """The rules and utilities of one pack of the project, by its name or source."""
    names = []
    for use, pack in PackProject.open(workspace).packs():
        if name in (pack.name, use.text):
            return pack.rules, pack.utils
        names.append(pack.name)
    hint = some_of(names, name) if names else "astedit pack add SOURCE adds one."
    raise bad_pack(f"The project has no pack {name!r}", hint, "no_pack")
