"""A project with the rules of its packs: what `packs:` of sgconfig.yml or astedit.toml names."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple, Self

from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.packs.lock import LOCK, Lock, LockedPack, hashes, keep, read_lock
from astedit.packs.pack import Pack, read_pack, refuse_twin
from astedit.packs.source import Files, PackUse, bad_pack, fetch, parse_use, read_installed
from astedit.rule.document import Document
from astedit.rule.failure import TurnedOff, some_of
from astedit.rule.project import Project, drop_twins, load_project, project_or_none_yet, read_file
from astedit.rule.yaml import read_yaml
from astedit.transaction.user_files import put
from astedit.workspace.config import Config, settings_of
from astedit.workspace.root import Workspace

SETTINGS = "astedit.toml"
_HERE = ("/", "file:")  # how the address of a repository on this machine begins
_NAMED = 3  # unknown keys of a pack that a scan names
_HEAD = re.compile(
    r"^(?P<head>packs:[ \t\r]*(?:#.*)?)$(?:\n(?P<indent>[ \t]*)(?=-))?", re.MULTILINE
)
_EMPTY = re.compile(r"^packs:[ \t\r]*(?:#.*)?(?:\n|\Z)(?![ \t]*-)", re.MULTILINE)


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
    return with_packs(workspace, project, more, off) if project.packs or more else project


def with_packs(
    workspace: Workspace, project: Project, more: Sequence[object], off: TurnedOff | None
) -> Project:
    """A project with the rules of its packs, and of `more` entries. Raises `RequestError`."""
    off = off or TurnedOff()
    packs = [pack for _, pack in PackProject.of(workspace, project, more).packs(off)]
    rules = [*project.rules, *(rule for pack in packs for rule in pack.rules)]
    # from the end: of a pack's rule and one of the project, who reads it can rename the latter
    rules = [*drop_twins(reversed(rules), off.leave_out)][::-1]
    return replace(
        project,
        rules=tuple(rules),
        utils=(*project.utils, *(one for pack in packs for one in pack.utils)),
        warnings=(*project.warnings, *(line for pack in packs for line in _warnings(pack))),
    )


def _warnings(pack: Pack) -> Iterator[str]:
    """What is left out is named; of unknown keys the first few, since public rules have many."""
    yield from (f"{pack.name}: {line}" for line in (*pack.left_out, *pack.warnings[:_NAMED]))
    if (more := len(pack.warnings) - _NAMED) > 0:
        yield f"{pack.name}: {more:,} more such keys; astedit pack verify lists them"


class PackProject(NamedTuple):
    """What a project says of its packs, and its lock; `directory` is what `./` stands for.

    `config` is its configuration, `settings` are the sources that astedit.toml names.
    """

    workspace: Workspace
    uses: list[PackUse]
    directory: str
    config: str
    lock: Lock
    settings: frozenset[str]

    @classmethod
    def of(cls, workspace: Workspace, project: Project, more: Sequence[object]) -> Self:
        """The packs of a project, and those that astedit.toml names. Raises `RequestError`."""
        uses = [parse_use(entry, f"{project.config}, packs") for entry in project.packs]
        named = [parse_use(entry, f"{SETTINGS}, packs") for entry in more]
        settings = frozenset(use.text for use in named)
        lock = read_lock(workspace)
        return cls(workspace, uses + named, project.directory, project.config, lock, settings)

    @classmethod
    def open(cls, workspace: Workspace, settings: Config | None = None) -> Self:
        """Those of the project there, or of one that has no configuration yet."""
        more = settings_of(workspace, settings).packs
        return cls.of(workspace, project_or_none_yet(workspace), more)

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
            hint = f"astedit pack update brings it and writes {LOCK}."
            raise bad_pack(f"The pack {use.text} is not in {LOCK}", hint, "no_pack")
        if use.kind != "git" or pinned is None:
            return read_installed(use, self.workspace, self.directory)
        if (files := pinned.cached()) is None:
            hint = "astedit pack fetch brings exactly what the lock says."
            raise bad_pack(f"The pack {use.text} was not fetched", hint, "no_pack")
        return files

    def pinned_files(self, use: PackUse) -> Files:
        """The same, as the lock pins them: `pack_changed` for others.

        A directory of the tree itself may do without a lock.
        """
        files, pinned = self.files(use), self.lock.packs.get(use.text)
        for path, _ in () if pinned is None else pinned.changes(files):
            hint = "astedit pack verify lists what changed; astedit pack update accepts it."
            raise bad_pack(f"{use.text}: {path} is not what {LOCK} says", hint, "pack_changed")
        return files

    def read(self, use: PackUse) -> Pack:
        """A pack as the lock pins it; its rules are marked with the commit, and the lock's hash."""
        files, pinned = self.pinned_files(use), self.lock.packs.get(use.text)
        if pinned is None:
            return read_pack(files, use, {})
        mark = {"commit": pinned.commit, "lock": sha256(self.lock.content or b"").hexdigest()}
        return read_pack(files, use, {key: text for key, text in mark.items() if text})

    def brought(self, use: PackUse) -> tuple[LockedPack, Pack, Files]:
        """A pack as it is now, at its source; its files go into the cache."""
        if use.kind == "git":
            commit, files = fetch(use, None)
        else:
            commit, files = "", read_installed(use, self.workspace, self.directory)
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
            if use.text in seen:
                continue
            seen.add(use.text)
            try:
                pack = self.read(use)
                refuse_twin(sources, pack.name, use.text)
            except AstEditError as error:
                error.path = error.path or self.config
                (off or TurnedOff()).leave_out(error)
                continue
            waiting += pack.needs
            yield use, pack

    def forget_unnamed(self) -> None:
        """Takes out of the lock what nothing names, unless a pack cannot be read."""
        with suppress(AstEditError):  # it may name any other
            named = {used.text for used, _ in self.packs()}
            for source in self.lock.packs.keys() - named:
                del self.lock.packs[source]

    def add(self, use: PackUse) -> None:
        """Adds a pack to sgconfig.yml, which is begun if it is missing."""
        old, text = self._text(), use.text
        content = "ruleDirs: []\n" if old is None else old
        line_end = "\r\n" if "\r\n" in content else "\n"
        item = f"- {text if '#' not in text and text.isascii() else _quoted(text)}"
        if use.name is not None:
            item = f"- {{use: {_quoted(text)}, name: {_quoted(use.name)}}}"
        if (head := _HEAD.search(content)) is None:
            end = line_end if content and not content.endswith("\n") else ""
            new = f"{content}{end}packs:{line_end}{item}{line_end}"
        else:
            line = f"\n{head['indent'] or ''}{item}{line_end[:-1]}"
            new = content[: head.end("head")] + line + content[head.end("head") :]
        self._write(old, new, text, True)

    def remove(self, text: str) -> None:
        """Takes a source out of sgconfig.yml, and out of nothing else: `RequestError` then."""
        old = self._text() or ""
        forms = (text, f'"{text}"', _quoted(text))
        item = re.compile(
            rf"^[ \t]*-[ \t]+(?:\{{use: )?(?:{'|'.join(map(re.escape, forms))})"
            r"(?:, name: [^}\n]*\})?[ \t\r]*(?: #.*)?(?:\n|\Z)",
            re.MULTILINE,
        )
        above, key, below = old.partition("packs:")  # `ruleDirs` may have the same line
        self._write(old, _EMPTY.sub("", above + key + item.sub("", below, count=1)), text, False)

    def named_in(self, text: str) -> str:
        """The file that names a source, or is to name it."""
        return SETTINGS if text in self.settings else self.config

    def _text(self) -> str | None:
        if not os.path.lexists(os.path.join(self.workspace.root, self.config)):
            return None
        return read_file(self.workspace, self.config).decode("utf-8", "surrogateescape")

    def _write(self, old: str | None, new: str, text: str, is_there: bool) -> None:
        """Writes the file only if it then says just what it should."""
        content = new.encode("utf-8", "surrogateescape")
        try:
            (document,) = read_yaml(content, self.config)
            entries = [parse_use(one, "") for one in document.get("packs") or ()]
            fits = is_there == any(use.text == text for use in entries) and new != old
        except (RequestError, ValueError, AttributeError):
            fits = False
        if not fits:
            place = self.named_in(text)
            what = "Add" if is_there else "Take out"
            hint = f"{what} {text!r} by hand below `packs`, and run astedit pack update."
            problem = f"{place} cannot be changed line by line."
            raise RequestError(problem, hint=hint, path=place)
        before = None if old is None else old.encode("utf-8", "surrogateescape")
        put(self.workspace.fd, self.config, before, content)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def pack_rules(workspace: Workspace, name: str) -> tuple[list[Document], list[Document]]:
    """The rules and utilities of one pack of the project, by its name or source."""
    names = []
    for use, pack in PackProject.open(workspace).packs():
        if name in (pack.name, use.text):
            return pack.rules, pack.utils
        names.append(pack.name)
    hint = some_of(names, name) if names else "astedit pack add SOURCE adds one."
    raise bad_pack(f"The project has no pack {name!r}", hint, "no_pack")
