"""Reads what a definition needs to be followed: every module that may have a say."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.expression import ChangedCopy, SuperOf
from astedit.python.facts import (
    AttributeUse,
    ImportUse,
    KeywordUse,
    ListedUse,
    NameUse,
    ReboundUse,
    SpelledUse,
    StringUse,
    Use,
)
from astedit.python.module_paths import folders_above
from astedit.python.spelled import DATA, FIELD, SPELLED
from astedit.semantic.inference.infer import ENUMERATED, Inference
from astedit.semantic.inference.values import DOUBT, QualifiedName
from astedit.semantic.library import MARK, Library
from astedit.semantic.listed_uses import AlsoUses, UsePlace, standing
from astedit.semantic.module_code import PRIVATE
from astedit.semantic.rename.target import ABSENT, LACKS, MAYBE, NO, YES, Receivers, outside
from astedit.text.source import Lines
from astedit.workspace.root import Workspace

_PROJECT = ("pyproject.toml", "setup.cfg")
_PROGRAMS = ("bin", "scripts")
_LARGEST = 1_048_576  # bytes of a project file


def entry_points(workspace: Workspace, path: str, name: str, *, member: bool) -> Iterator[UsePlace]:
    """The lines of project files above `path` that name it as an entry point, `pkg.mod:name`.

    Programs of the project, which have no ending, are listed with the first line that names it.
    """
    inner, word = rb"(?:\w+\.)+" if member else b"", re.escape(name.encode())
    point = re.compile(rb"[\w.]+:" + inner + rb"(" + word + rb")(?!\w)")
    named = re.compile(rb"(?s)\A#![^\n]*python.*?(?<!\w)(" + word + rb")(?!\w)")
    for folder in folders_above(path):
        files = (posixpath.join(folder, project) for project in _PROJECT)
        yield from in_project(workspace, files, point, "an entry point")
        for place in (posixpath.join(folder, directory) for directory in _PROGRAMS):
            with suppress(OSError):  # there is none
                here = os.listdir(os.path.join(workspace.root, place))
                programs = [posixpath.join(place, file) for file in here if "." not in file]
                for use in in_project(workspace, programs, named, "a program names it"):
                    yield use._replace(span=(0, 0))  # it may stand there again


def in_project(
    workspace: Workspace,
    files: Iterable[str],
    word: re.Pattern[bytes],
    why: str = "a project file names it",
) -> Iterator[UsePlace]:
    """Where a word stands in those of some project files that are there."""
    for path in sorted(files):
        try:
            code, _ = workspace.read(path, _LARGEST)
        except OSError:
            continue  # none there, or none of ours to read
        yield from standing(path, code.removeprefix(MARK), word, (), why)


_PLAIN = frozenset(  # these keep nothing
    b"abstractmethod asynccontextmanager cache cached_property classmethod contextmanager "
    b"dataclass deprecated final lru_cache overload override property setter deleter getter "
    b"staticmethod total_ordering unique wraps".split()
)


def keeping_decorators(path: str, decorated: Node) -> Iterator[UsePlace]:
    """The places of decorators of a definition that may have it used elsewhere."""
    for child in decorated.named_children:
        name = (child.text or b"").strip(b"@").partition(b"(")[0].strip()
        if child.type == "decorator" and name.rpartition(b".")[2] not in _PLAIN:
            why = f"its decorator {name.decode('utf-8', 'replace')} may keep it"
            yield UsePlace(path, child.start_point.row + 1, why)


_ROUNDS = 20  # of reading the modules that the last round asked for


def gather(
    library: Library, path: str, name: str, *, also_defining: str | None = None
) -> "References":
    """The references to a definition, judged with all the evidence that the tree holds.

    `library` reads the last part of `name`. Files in which one called `also_defining` may be
    another member, or something else than what a star import brings, are read too. Raises
    `PreconditionError` for a file that cannot be read
    and a name that it does not bind.
    """
    old = name.rpartition(".")[2]
    written = re.compile(rb"(?<!\w)" + re.escape(old.encode()) + rb"(?!\w)")
    library.load(library.keep(old, written.search))  # only such a file can refer to it
    if path in library.trouble or path not in library.facts:
        raise PreconditionError(f"{path} cannot be read as Python.", path=path, code="parse_error")
    if name not in library.facts[path].bindings:
        why = f"{path} has no definition {name!r} that can be followed."
        raise PreconditionError(why, path=path, code="not_found")
    if also_defining and name.rpartition(".")[0] in library.facts[path].classes:
        word = re.escape(also_defining.encode())
        defining = rb"\b(?:def|class)[ \t]+" + word + rb"\b|\b" + word + rb"[ \t]*[:=]"
        library.load(library.keep(also_defining, re.compile(defining).search))
    elif also_defining and "." not in name:  # a star import would bring that one, too
        library.load(library.keep(also_defining, re.compile(rb"import[ \t]*\*").search))

    def judged(inference: Inference) -> tuple[References, JudgedUses]:
        references = References(inference, path, name)
        return references, references.judged()

    (references, uses), seen = settled(library, judged), set[str]()
    while names := references.leads(uses) - seen:
        seen |= names
        files = _telling(library, names)
        if not library.facts.keys() >= {*files}:
            library.load(files)
            references, uses = settled(library, judged)
    return references


# a class with one of some names among its bases, or what puts something into such a member
_TELLING = (
    rb"\bclass\s[^:(]*\([^)]*\b(?:%b)\b"
    rb"|\.(?:%b)\b(?:[^\n=!<>()]*=(?!=)|\.(?:add|append|appendleft|extend|insert|update)\()"
)


def _telling(library: Library, names: Iterable[str]) -> list[str]:
    """The files that may say more of classes and members with these names."""
    words = [name.encode() for name in sorted(names)]
    telling = re.compile(_TELLING % ((b"|".join(words),) * 2))
    return library.keep("", lambda code: any(w in code for w in words) and telling.search(code))


Result = TypeVar("Result")


def settled(library: Library, asked: Callable[[Inference], Result]) -> Result:
    """What is said once every module has been read that somebody asked for to say it."""
    for _ in range(_ROUNDS):
        inference = Inference(library.modules, library.facts)
        result = asked(inference)
        unread = inference.missing - library.facts.keys()
        if not unread:
            break
        library.load(sorted(unread))
    return result


def possible_places(library: Library, judged: "JudgedUses") -> list[UsePlace]:
    """Where the possible uses stand, in order."""
    lines: dict[str, Lines] = {}
    word = re.compile(rb"(?<![\w])" + re.escape(library.name.encode()) + rb"(?!\w)")
    places = []
    for path, use, why in judged.possible:
        text = library.text(path)
        assert text is not None
        found = word.search(text.code, use.start)  # a string is noted by its beginning
        start, end = found.span() if found is not None else (use.start, use.start)
        line, column = lines.setdefault(path, Lines(text.code)).place(start)
        places.append(UsePlace(path, line, why, column, (start, end)))
    return places


# a text that is the first or the last part of a name, with something else
_COMPUTED = (
    rb"""['"](?:%b)(?:\{|%%[sr]['"]|['"][ \t]*\+)|(?:\}|['"]%%[sr]|\+[ \t]*['"])(?:%b)['"]"""
)
_NAME_READ = re.compile(rb"(?<=\.)_?name_?\b(?![ \t]*(?:\(|=[^=]))|\b__members__\b|\bStrEnum\)")
_SHORTEST = 3  # characters of such a part
_DYNAMIC = "the module does not say where it has it from"
_MANGLED = "what Python calls a private member"
_REBOUND = "a name of its own, made from this one"


class PossibleUse(NamedTuple):
    """A use that may mean the target, and why that is not certain."""

    path: str
    use: Use
    why: str


def _standing(
    library: Library, files: Iterable[str], word: re.Pattern[bytes], why: str
) -> Iterator[UsePlace]:
    """Where a word stands in files that are read; it is another than the name itself."""
    for path, text in ((path, library.text(path)) for path in files):
        for place in standing(path, text.code, word, (), why) if text is not None else ():
            yield place._replace(span=(0, 0))


@dataclass(slots=True)
class JudgedUses:
    """The uses that mean the target, by path, and those that may."""

    certain: dict[str, list[SpelledUse]] = field(default_factory=dict)
    possible: list[PossibleUse] = field(default_factory=list)


class References(Receivers):
    """Judges uses of the last part of `name`, defined in the module at `path`.

    `chosen` are possible uses that count as certain, since a person says so: path and start.
    """

    chosen: frozenset[tuple[str, int]] = frozenset()

    def choose(self, library: Library, also: AlsoUses) -> None:
        """Takes the possible uses that are meant for certain ones."""
        places = possible_places(library, self.judged())
        self.chosen = frozenset(
            (place.path, possible.use.start)
            for place, possible in zip(places, self.judged().possible, strict=True)
            if not isinstance(possible.use, StringUse) and also.takes(place)
        )

    def outside_bases(self, what: str) -> Iterator[str]:
        """A hint about base classes of the family that are not in the workspace, if it has any."""
        if bases := sorted(outside(self.inference, self.family)):
            yield f"{', '.join(bases)}: a base class outside the workspace may {what}"
        every = (base for place in self.family for base in self.inference.outside_bases(place))
        if any(base.endswith(".Protocol") for base in every):
            yield f"a protocol asks for {self.old}: what fits it outside the workspace stays"

    def places(self, library: Library, path: str, judged: JudgedUses) -> list[UsePlace]:
        """Where it may be used: as an entry point, and where that is not evident."""
        member, workspace = self.owner is not None, library.asked.workspace
        is_seen = member or not self.prefix
        points = entry_points(workspace, path, self.old, member=member) if is_seen else ()
        made = [*self._mangled(library), *self.computed(library), *self._enumerated(library)]
        return [*points, *made, *possible_places(library, judged)]

    def computed(self, library: Library) -> Iterator[UsePlace]:
        """Where a name is made of parts that may be this one: `getattr(self, "do_" + what)`."""
        if (self.prefix and self.owner is None) or len(self.old) <= _SHORTEST:
            return iter(())
        members = {place for owner in self.family for place in self.inference.lineage(owner)[0]}
        words = [place.name.rpartition(".")[2].encode() for place in members]
        old = self.old.encode()
        # `visit_` of a function `visit_Cart` may be joined with the name of the class
        named = re.compile(rb"\bdef[ \t]+(\w+)" + re.escape(old) + rb"\b")
        is_class = any(map(self.inference.class_facts, self.targets))
        texts = map(library.text, library.keep(self.old, named.search) if is_class else ())
        handlers = {head for text in texts if text for head in named.findall(text.code)}
        firsts = b"|".join([*sorted(handlers), *(old[:end] for end in range(_SHORTEST, len(old)))])
        lasts = b"|".join(old[at:] for at in range(1, len(old) - _SHORTEST + 1))
        parts = re.compile(_COMPUTED % (firsts, lasts))
        files = {*library.keep("getattr", lambda code: handlers or any(w in code for w in words))}
        files |= {place.path for place in self.targets if self.owner is None}
        return _standing(library, sorted(files), parts, "a name that is made of parts")

    def _enumerated(self, library: Library) -> Iterator[UsePlace]:
        """Where the name of a member of an enumeration may be read as a text."""
        for owner in sorted(self.family):
            if any(map(ENUMERATED.search, self.inference.outside_bases(owner))):
                files = library.keep(owner.name.rpartition(".")[2], _NAME_READ.search)
                yield from _standing(library, files, _NAME_READ, "it may read the name of a member")

    def _mangled(self, library: Library) -> Iterator[UsePlace]:
        """Where a private member is written as Python calls it: `_Cart__total`."""
        owners, members = self.family, {self.old}
        if self.owner is None:
            owners = {place for place in self.targets if self.inference.class_facts(place)}
            members = {name for place in owners for name in self.inference.members_of(place)}
        private = "|".join(sorted(filter(PRIVATE.fullmatch, members)))
        heads = {f"_{place.name.rpartition('.')[2].lstrip('_')}__" for place in owners if private}
        for head in sorted(heads):
            word = re.compile(rf"(?<!\w){head[:-2]}(?:{private})(?!\w)".encode())
            yield from _standing(library, library.keep(head, word.search), word, _MANGLED)

    def leads(self, judged: JudgedUses) -> set[str]:
        """The classes and the members by which a use is evident, and the classes below them.

        Files that do not name what is followed may have further ones below with another member,
        or put something else into one.
        """
        ways = {
            way
            for path, uses in judged.certain.items()
            for use in uses
            if isinstance(use, AttributeUse | KeywordUse)
            for value in [use.value if isinstance(use, AttributeUse) else use.callee]
            for way in self.inference.on_the_way(path, value)
        }
        places = {place for owner, _ in ways for place in (owner, *self.inference.below(owner))}
        return {place.name.rpartition(".")[2] for place in places} | {name for _, name in ways}

    def judged(self) -> JudgedUses:
        """Every use in the modules that have been read."""
        judged = JudgedUses()
        for path in sorted(self.inference.facts):
            for use in self.inference.facts[path].uses:
                self._add(judged, path, use)
        for path, certain in judged.certain.items():
            rebound = self._rebound(path, certain)
            judged.possible += [PossibleUse(path, use, _REBOUND) for use in rebound]
        judged.possible.sort(key=lambda possible: (possible.path, possible.use.start))
        return judged

    def _add(self, judged: JudgedUses, path: str, use: Use) -> None:
        if isinstance(use, ReboundUse):
            return
        verdict, why = self._judge(path, use)
        chosen = verdict == MAYBE and (path, use.start) in self.chosen
        if (verdict == YES or chosen) and not isinstance(use, StringUse):
            judged.certain.setdefault(path, []).append(use)
        elif verdict == MAYBE:
            judged.possible.append(PossibleUse(path, use, why))

    def _rebound(self, path: str, certain: list[SpelledUse]) -> Iterator[ReboundUse]:
        """Other names of the same spelling that are bound to what the target makes."""
        changed = {use.start for use in certain}
        for use in self.inference.facts[path].uses:
            if not isinstance(use, ReboundUse) or use.start in changed:
                continue
            if any(use.value_start <= start < use.value_end for start in changed):
                yield use

    # -- judging ---------------------------------------------------------------------------

    def _judge(self, path: str, use: SpelledUse | StringUse) -> tuple[str, str]:
        """Whether a use means the target; and why it may, if that is not certain."""
        match use:
            case NameUse():
                return self._name(path, use)
            case ImportUse():
                return self._import(path, use), _DYNAMIC
            case ListedUse():
                name = f"{use.owner}.{self.old}"
                is_it = self.carries(path, name) if use.owner else self.exports(path)
                return (YES if is_it else NO), ""
            case AttributeUse():
                return self._attribute(path, use)
            case KeywordUse():
                return self._keyword(path, use)
            case StringUse():
                return (MAYBE if self._could_be_named(use) else NO), use.kind

    def _could_be_named(self, use: StringUse) -> bool:
        """Whether a string could reach the target, by what stands beside the name in it."""
        if self.owner is not None:
            return use.kind in (SPELLED, DATA) or use.sign in (".", "=")
        return not self.prefix and use.sign != "=" and use.kind != FIELD

    def _import(self, path: str, use: ImportUse) -> str:
        carried = not use.alias and any(self.carries(path, name) for name in use.names)
        module = self.inference.modules.find(path, use.module.level, use.module.module)
        brought = NO if module is None or module == path else self.exported(module)
        return YES if carried else brought

    def _name(self, path: str, use: NameUse) -> tuple[str, str]:
        every = [self.carries(path, name) for name in use.names] or [self.exports(path)]
        if any(every):
            return YES, ""
        if any(self.requests(path, name) == MAYBE for name in use.names):
            return MAYBE, "which fixture pytest passes is not evident"
        if any(self.answers(QualifiedName(path, name)) for name in use.names):
            return MAYBE, "a protocol asks for it"
        return NO, ""

    def _attribute(self, path: str, use: AttributeUse) -> tuple[str, str]:
        values = self.inference.values(path, use.value) or DOUBT  # None so far: a subclass's
        verdicts = {self.receiver(value) for value in values}
        if self.owner is None:
            return (YES if YES in verdicts else MAYBE if MAYBE in verdicts else NO), _DYNAMIC
        why = "the object's class is not evident"
        if LACKS in verdicts and verdicts <= {LACKS, ABSENT}:
            return MAYBE, "its class has no such member"
        if YES in verdicts:
            doubtful = {NO} if isinstance(use.value, SuperOf) else {NO, MAYBE}
            return (MAYBE if verdicts & doubtful else YES), why
        return (MAYBE if MAYBE in verdicts else NO), why

    def _keyword(self, path: str, use: KeywordUse) -> tuple[str, str]:
        why = "what is called is not evident"
        if not (self.is_keyword or self.family):
            return NO, why
        verdicts = {self.callee(value) for value in self.inference.values(path, use.callee)}
        if verdicts == {YES}:
            return YES, why
        if LACKS in verdicts:
            return MAYBE, "`**` may bring it to the object"
        listed = self.is_parameter or isinstance(use.callee, ChangedCopy)
        is_doubtful = YES in verdicts or (MAYBE in verdicts and listed)
        return (MAYBE if is_doubtful else NO), why
