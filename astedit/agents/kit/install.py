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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from astedit.agents.kit import settings
from astedit.agents.kit.rows import CLIENTS, MODES, Entry, client
from astedit.errors import PreconditionError
from astedit.workspace.root import Workspace, path_below

_LARGEST = 32 * 1024 * 1024  # bytes of settings; Claude Code keeps its history in them
KitScope = Literal["project", "user"]
_MARK = re.compile(rb"(?:// |<!-- )astedit agents ([0-9a-f]{16})(?: -->)?\n$")
_VERSION = re.compile(rb'"version": "[^"\n]{1,40}"')
_ALONE = "{}: `astedit` there is not the kit's; left alone"


class KitPlace(NamedTuple):
    """An entry at its place, the modes of which it is there, and whether it is somebody's own.

    The mode "" is that of an earlier version. It `fits` where a file is there for it; hooks of
    Codex stand in its TOML if some do.
    """

    entry: Entry
    modes: Sequence[str] = ()
    foreign: bool = False
    fits: bool = False


@dataclass(slots=True)
class Kit:
    """The files of a scope, as they are and as they would be.

    `base` is the root of the project, below which its paths are, or the home of the user,
    whose paths are absolute.
    """

    scope: KitScope
    base: str
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)

    def content(self, path: str) -> bytes | None:
        """What a file would hold, None if it is not there; `PreconditionError` if it is none."""
        if path in self.after:
            return self.after[path]
        base, name = self.place(path)
        content: bytes | None = None
        try:
            with suppress(FileNotFoundError), Workspace(base) as workspace:
                content, _ = workspace.read(name, _LARGEST)
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            why = "it is a link, or lies behind one" if is_link else str(error.strerror)
            raise settings.refused(path, why) from error
        if content is not None and len(content) > _LARGEST:
            raise settings.refused(path, f"it has more than {_LARGEST:,} bytes")
        self.before[path] = self.after[path] = content
        return content

    def place(self, path: str) -> tuple[str, str]:
        """The directory that a file is reached from without a link, and its path below that."""
        base, below = os.path.realpath(self.base), path_below(self.base, path)
        if self.scope == "project":
            return base, path
        if below is None:  # a directory of its own, by a variable
            base = os.path.dirname(path)
            while not os.path.isdir(base):
                base = os.path.dirname(base)
            below = os.path.relpath(path, base)
        return base, below

    def places(self, name: str) -> Iterator[KitPlace]:
        """The entries of a client, where each of them stands or would stand."""
        for wanted in client(name).entries(self.scope, self.base):
            others = [replace(wanted, form=form, path=path) for form, path in wanted.other]
            places = [self._found(entry) for entry in (wanted, *others)]
            yield max(places, key=lambda place: (bool(place.modes) or place.foreign, place.fits))

    def _found(self, entry: Entry) -> KitPlace:
        if not (text := self.content(entry.path)):
            return KitPlace(entry)
        values = settings.values(text, entry)
        modes = [mode for mode, form in entry.forms.items() if form in values]
        if not modes and not entry.at and _is_ours(text, entry):
            modes = [""]
        is_item = entry.at[-1:] == ["+"]
        own = [value for value in values if not is_item or "astedit hook" in json.dumps(value)]
        has_some = settings.values(text, replace(entry, at=entry.at[:1]))
        fits = not is_item or entry.form != "toml" or bool(has_some)
        return KitPlace(entry, modes, bool(own) and not modes, fits)

    def mode_of(self, name: str) -> str | None:
        """The mode in which a client's hook is installed: that of an entry of one mode alone."""
        modes = (place.modes[0] for place in self.places(name) if len(place.modes) == 1)
        return next(filter(None, modes), None)

    def rows(self, name: str, mode: str | None) -> Iterator[dict[str, Any]]:
        """Each entry of a client: where, what it is, in which mode; or why nobody can say."""
        try:
            own = self.mode_of(name)
            for place in self.places(name):
                state = "foreign" if place.foreign else "outdated" if place.modes else "absent"
                state = "installed" if (mode or own or MODES[0]) in place.modes else state
                entry = ".".join(key for key in place.entry.at if key != "+")
                row = {"client": name, "path": place.entry.path, "entry": entry}
                yield row | {"state": state, "mode": own}
        except PreconditionError as error:
            state = error.message.removeprefix(f"{error.path}: ")
            yield {"client": name, "path": error.path, "entry": "", "state": state, "mode": None}

    def install(self, names: Sequence[str], mode: str | None) -> list[str]:
        """Puts in what is missing or outdated; returns what was left alone.

        Without a mode a client keeps the one that it has; one that has none gets `offer`.
        """
        left = []
        for name in names:
            wanted = mode or self.mode_of(name) or MODES[0]
            for place in self.places(name):
                entry = place.entry
                if place.foreign:
                    left.append(_ALONE.format(entry.path))
                elif wanted not in place.modes:
                    self._take(place)
                    text = self.content(entry.path)
                    self.after[entry.path] = settings.put(text, entry, entry.forms[wanted])
        return left

    def remove(self, names: Sequence[str]) -> list[str]:
        """Takes out what is ours; what another client needs stays, and is named."""
        needed = {}
        for other in CLIENTS:
            with suppress(PreconditionError):  # it may be there, where nobody can say
                if other in names or self.mode_of(other) is None:
                    continue
            for entry in client(other).entries(self.scope, self.base):
                needed[entry.path, *entry.at] = client(other).row["title"]
        left = []
        for name in reversed(names):
            for place in reversed(list(self.places(name))):
                user = needed.get((place.entry.path, *place.entry.at))
                if place.modes and user:
                    left.append(f"{place.entry.path}: stays, {user} uses it")
                elif place.foreign:
                    left.append(_ALONE.format(place.entry.path))
                else:
                    self._take(place)
        return left

    def _take(self, place: KitPlace) -> None:
        """Takes out an entry of any mode, also one that is there more than once."""
        entry = place.entry
        for form in (entry.forms.get(mode) for mode in place.modes):
            while text := self.content(entry.path):
                if entry.at and form not in settings.values(text, entry):
                    break
                self.after[entry.path] = settings.take(text, entry, form)

    @property
    def changes(self) -> dict[str, tuple[bytes | None, bytes | None]]:
        """What changes, by path: before and after."""
        rows = ((path, self.before[path], new) for path, new in sorted(self.after.items()))
        return {path: (old, new) for path, old, new in rows if old != new}


def _is_ours(text: bytes, entry: Entry) -> bool:
    """Whether nobody else has changed a file since some version of the kit wrote it."""
    if match := _MARK.search(text):
        return sha256(text[: match.start()]).hexdigest()[:16].encode() == match[1]
    forms = [_VERSION.sub(b"", form.encode()) for form in entry.forms.values()]
    return _VERSION.sub(b"", text) in forms
