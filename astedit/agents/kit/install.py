"""What is installed for which client, and what files would hold with it or without it.

Nothing is written here: `changes` says what a person is asked about. An entry is ours if it is
one that the kit writes in some mode, or a file that ends in the hash of its own content. All
else named `astedit` is somebody's own, and stays.
"""

import errno
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

from astedit.agents.kit import settings
from astedit.agents.kit.rows import CLIENTS, HERE, MODES, Client, Entry, client
from astedit.errors import PreconditionError
from astedit.version import __version__
from astedit.workspace.root import SIZE, Workspace, path_below

EntryState = Literal["absent", "installed", "outdated", "foreign"]
KitScope = Literal["project", "user"]
_OURS = ("installed", "outdated")
_MARK = re.compile(rb"(?:// |<!-- )astedit agents ([0-9a-f]{16})(?: -->)?\n$")
_WAY = "Mend the file, or leave that client out: the others are not touched either."


@dataclass(slots=True)
class Kit:
    """The files of a scope, as they are and as they would be.

    `root` is the project, `home` the user's; paths are below the root, or absolute.
    """

    scope: KitScope
    root: str
    home: str
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)

    def content(self, path: str) -> bytes | None:
        """What a file would hold; raises `PreconditionError` for a link, and what is no file."""
        if path not in self.after:
            self.before[path] = self.after[path] = self._read(path)
        return self.after[path]

    def _read(self, path: str) -> bytes | None:
        base, name = self.place(path)
        try:
            with Workspace(base) as workspace:
                content, _ = workspace.read(name, SIZE)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            why = (
                "it is a link, or lies behind one" if error.errno == errno.ELOOP else error.strerror
            )
            raise _refused(path, str(why)) from error
        if len(content) > SIZE:
            raise _refused(path, f"it has more than {SIZE:,} bytes")
        return content

    def place(self, path: str) -> tuple[str, str]:
        """The directory that a file is reached from without a link, and its path below that."""
        if self.scope == "project":
            return self.root, path
        base, below = os.path.realpath(self.home), path_below(self.home, path)
        if below is None:  # a directory of its own, by a variable
            base = os.path.dirname(path)
            while not os.path.isdir(base):
                base = os.path.dirname(base)
            below = os.path.relpath(path, base)
        return base, below

    def states(self, name: str, mode: str) -> Iterator[tuple[Entry, EntryState]]:
        """What the entries of a client are, where each of them stands or would stand."""
        known: dict[str, list[Entry]] = {
            each: list(client(name).entries(self.scope, each, self.home)) for each in MODES
        }
        for at, wanted in enumerate(known[mode]):
            yield self._found(client(name), wanted, [known[each][at].value for each in MODES])

    def mode_of(self, name: str) -> str | None:
        """The mode in which a client's hook is installed."""
        plain = [entry.value for entry in client(name).entries(self.scope, "", self.home)]
        for mode in MODES:
            for (entry, state), value in zip(self.states(name, mode), plain, strict=True):
                tells = entry.text.endswith(".js") if entry.text else entry.value != value
                if tells and state == "installed":
                    return mode
        return None

    def _found(self, owner: Client, wanted: Entry, forms: list[str]) -> tuple[Entry, EntryState]:
        places = list(_variants(wanted))
        found = [(place, self._state(owner, place, forms)) for place in places]
        for place, state in found:
            if state != "absent":
                return place, state
        there = [place for place in places if self.content(place.path) is not None]
        if wanted.instead:  # hooks of Codex, in a file that has some
            return places[self._has_hooks(places)], "absent"
        return (there or places)[0], "absent"

    def _has_hooks(self, places: list[Entry]) -> bool:
        text = self.content(places[1].path)
        hooks = replace(places[1], at=("hooks",))
        return self.content(places[0].path) is None and bool(text and settings.values(text, hooks))

    def _state(self, owner: Client, entry: Entry, forms: list[str]) -> EntryState:
        text = self.content(entry.path)
        if text is None:
            return "absent"
        if entry.text:
            texts = [whole(owner, entry, mode) for mode in MODES]
            same = text == whole(owner, entry, entry.value)
            return "installed" if same else "outdated" if _is_ours(text, texts) else "foreign"
        try:
            values = settings.values(text, entry)
        except PreconditionError as error:
            raise _refused(entry.path, error.message) from error
        wanted = json.loads(entry.value)
        if wanted in values:
            return "installed"
        if any(json.loads(form) in values for form in forms):
            return "outdated"
        own = entry.at[-1] != "+" or any("astedit hook" in json.dumps(value) for value in values)
        return "foreign" if values and own else "absent"

    def install(self, names: Sequence[str], mode: str | None) -> list[str]:
        """Puts in what is missing or outdated; returns what was left alone.

        Without a mode a client keeps the one that it has; one that has none gets `offer`.
        """
        left = []
        for name in names:
            own = mode or self.mode_of(name) or MODES[0]
            for entry, state in list(self.states(name, own)):
                if state == "foreign":
                    left.append(f"{entry.path}: `astedit` there is not the kit's; left alone")
                if state == "outdated":
                    self._take(name, entry)
                if state in ("absent", "outdated"):
                    self._put(name, entry, own)
        return left

    def remove(self, names: Sequence[str]) -> list[str]:
        """Takes out what is ours; what another client needs stays, and is named."""
        others = {other for other in CLIENTS if other not in names and self._is_installed(other)}
        needed = {
            (entry.path, entry.at): other
            for other in sorted(others)
            for entry in client(other).entries(self.scope, MODES[0], self.home)
        }
        left = []
        for name in reversed(names):
            for entry, state in reversed(list(self.states(name, MODES[0]))):
                other = needed.get((entry.path, entry.at))
                if state in _OURS and other:
                    left.append(f"{entry.path}: stays, {client(other).title} uses it")
                elif state in _OURS:
                    self._take(name, entry)
                elif state == "foreign":
                    left.append(f"{entry.path}: `astedit` there is not the kit's; left alone")
        return left

    def _is_installed(self, name: str) -> bool:
        """Whether something is there that this client alone needs."""
        others = (
            entry.path
            for other in CLIENTS
            if other != name
            for entry in client(other).entries(self.scope, MODES[0], self.home)
        )
        shared = set(others)
        try:
            states = list(self.states(name, MODES[0]))
        except PreconditionError:
            return True  # nobody can say
        return any(state in _OURS and entry.path not in shared for entry, state in states)

    def _put(self, name: str, entry: Entry, mode: str) -> None:
        before = self.content(entry.path)
        if entry.text:
            self.after[entry.path] = whole(client(name), entry, mode)
            return
        try:
            self.after[entry.path] = settings.put(before, entry)
        except PreconditionError as error:
            raise _refused(entry.path, error.message) from error

    def _take(self, name: str, entry: Entry) -> None:
        """Takes out an entry of any mode, also one that is there more than once."""
        if entry.text:
            self.after[entry.path] = None
            return
        at = next(at for at, (each, _) in enumerate(self.states(name, MODES[0]))
                  if (each.path, each.at) == (entry.path, entry.at))  # fmt: skip
        for mode in MODES:
            form = list(client(name).entries(self.scope, mode, self.home))[at]
            while (text := self.content(entry.path)) is not None:
                if json.loads(form.value) not in settings.values(text, entry):
                    break
                self.after[entry.path] = settings.take(text, replace(entry, value=form.value))

    @property
    def changes(self) -> dict[str, tuple[bytes | None, bytes | None]]:
        """What changes, by path: before and after."""
        paths = sorted(self.after)
        both = {path: (self.before[path], self.after[path]) for path in paths}
        return {path: (old, new) for path, (old, new) in both.items() if old != new}


def whole(owner: Client, entry: Entry, mode: str) -> bytes:
    """A file that is all ours."""
    if entry.text == "gemini-extension.json":
        shells = {} if mode != "require" else {"excludeTools": ["replace", "write_file"]}
        server = {"mcpServers": {"astedit": {"command": "astedit", "args": ["mcp"]}}}
        head = {"name": "astedit", "version": __version__, "description": _ABOUT}
        return (json.dumps(head | server | shells, indent=2) + "\n").encode()
    with open(os.path.join(HERE, entry.text), encoding="utf-8") as file:
        text = file.read()
    edits = [name for name, tool in owner.tools.items() if tool.does != "shell"]
    names = [*edits, *(owner.tools if mode == "require" else ())]
    text = text.replace("{mode}", mode).replace("{tools}", json.dumps(sorted(set(names))))
    mark = sha256(text.encode()).hexdigest()[:16]
    form = "// {}\n" if entry.text.endswith(".js") else "<!-- {} -->\n"
    return (text + form.format(f"astedit agents {mark}")).encode()


_ABOUT = "Preview structural changes of code, then resolve them."


def _is_ours(text: bytes, texts: list[bytes]) -> bool:
    """Whether nobody else has changed a file since some version of the kit wrote it."""
    match = _MARK.search(text)
    if match:
        return sha256(text[: match.start()]).hexdigest()[:16].encode() == match[1]
    version = re.compile(rb'"version": "[^"\n]{1,40}"')
    return version.sub(b"", text) in [version.sub(b"", each) for each in texts]


def _variants(entry: Entry) -> Iterator[Entry]:
    """Where an entry may stand."""
    yield entry
    for path in entry.other:
        yield replace(entry, path=path)
    if entry.instead:
        path = os.path.join(os.path.dirname(entry.path), entry.instead)
        yield replace(entry, path=path, form="toml")


def _refused(path: str, why: str) -> PreconditionError:
    return PreconditionError(f"{path}: {why}.", path=path, code="settings", hint=_WAY)


def rows(kit: Kit, names: Sequence[str], mode: str | None) -> Iterator[dict[str, Any]]:
    """Each entry of each client: where, what it is, and in which mode; or why nobody can say."""
    for name in names:
        try:
            own = kit.mode_of(name)
            for entry, state in kit.states(name, mode or own or MODES[0]):
                yield {"client": name, "path": entry.path, "state": state, "mode": own}
        except PreconditionError as error:
            yield {"client": name, "path": error.path, "state": error.message, "mode": None}
