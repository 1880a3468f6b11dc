"""What all languages have of imports: the statements of a file, and the names it uses."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import root_of
from astedit.python.syntax import text_of
from astedit.rewrite.make.delete import cuts
from astedit.semantic.imports.lines import without
from astedit.semantic.imports.local_names import LOCALS
from astedit.text.source import ByteRange, Change

_NAME = re.compile(r"[^\W\d]\w*")


class Import(Hashable, Protocol):
    """One import of one name. `bound` is the name that the file sees; "" if it sees none."""

    @property
    def bound(self) -> str: ...


Kind = TypeVar("Kind", bound=Import)


@dataclass(frozen=True, slots=True)
class Statement(Generic[Kind]):
    """An import statement of the top level: its imports, each with its node."""

    node: Node
    imports: Sequence[tuple[Kind, Node]]


class Uses(NamedTuple):
    """The names that code outside of imports uses, and the words of its strings and the like.

    What only a string or a comment says is no use, but it may be one at run time.
    """

    code: frozenset[str]
    quoted: frozenset[str]

    def hold(self, name: str) -> bool:
        """Whether anything mentions the name."""
        return name in self.code or name in self.quoted


class Syntax(ABC, Generic[Kind]):
    """How one language writes imports, as in `example`.

    `mark` begins a comment at the end of a line, `head` a file that may have imports.
    """

    example: ClassVar[str]
    mark = b"//"
    head = b""

    def __init__(self, language: str = "python") -> None:
        self.language = language

    def parse(self, text: str) -> Kind:
        """Reads one import of one name as it is written in code; raises `RequestError`."""
        root = root_of(self.language, self.head + text.strip().encode())
        imports = [item for statement in self.statements(root) for item, _ in statement.imports]
        is_alone = root.named_child_count == len(self.head.splitlines()) + 1
        if root.has_error or not is_alone or len(imports) != 1:
            raise self.malformed(text)
        return imports[0]

    def malformed(self, text: str) -> RequestError:
        """The error about a text that is no import of one name."""
        what = f"{text!r} is not an import of one name."
        return RequestError(what, hint=f"Like {self.example}.", code="bad_import")

    @abstractmethod
    def statements(self, root: Node) -> list[Statement[Kind]]:
        """The import statements of the top level, in order."""

    @abstractmethod
    def uses(self, root: Node) -> Uses:
        """The names that a file uses outside of its imports."""

    @abstractmethod
    def added(self, adding: Sequence[Kind], root: Node, source: bytes) -> list[Change]:
        """The changes that bring these imports."""

    def present(self, root: Node) -> set[Kind]:
        """What the top level imports."""
        return {item for statement in self.statements(root) for item, _ in statement.imports}

    def refusal(self, root: Node, path: str) -> str | None:
        """Why no import can be added to this file; None if it can."""
        return None

    def satisfied(self, candidate: Kind, root: Node, present: set[Kind]) -> bool:
        """Whether the file has this already, in whatever form."""
        return candidate in present

    def clashes(self, candidate: Kind, root: Node, present: set[Kind]) -> bool:
        """Whether the file could not be compiled, as the name means something else there."""
        taken = any(item.bound == candidate.bound for item in present)
        return taken or bool(LOCALS[self.language].declarations(root, candidate.bound))

    def prunable(self, present: Kind, path: str) -> bool:
        """Whether nothing but the use of its name can be what it is there for."""
        return bool(present.bound)

    def hidden(self, new: Kind, root: Node, places: Sequence[ByteRange]) -> set[int]:
        """The numbers of the places in which the name of an import is a local one."""
        return LOCALS[self.language].hidden(root, new.bound, places, binds(self.parse, new))

    def missing(self, names: Sequence[str], root: Node) -> list[str]:
        """The imports of what the names stand for, where the file uses and does not bind them.

        None where a name may come from anywhere.
        """
        return []

    def absent(self, names: Sequence[str], root: Node) -> list[str]:
        """Those of the names that the file uses, and that nothing in it binds."""
        used = self.uses(root).code - {item.bound for item in self.present(root)}
        return [n for n in names if n in used and not LOCALS[self.language].binds(root, n)]

    def removed(self, doomed: Collection[Kind], root: Node, source: bytes) -> list[Change]:
        """The changes that take these imports away."""
        changes, whole = list[Change](), list[Node]()
        for statement in self.statements(root):
            gone = {at for at, (item, _) in enumerate(statement.imports) if item in doomed}
            left = self.shortened(statement, gone, source) if gone else []
            whole += [statement.node] if left is None else []
            changes += left or []
        return changes + without(whole, source, self.mark)

    def shortened(
        self, statement: Statement[Kind], gone: set[int], source: bytes
    ) -> list[Change] | None:
        """What takes some items out of a statement; None if nothing would be left of it."""
        if len(gone) == len(statement.imports):
            return None
        return cuts([statement.imports[at][1] for at in gone], source)


def binds(parse: Callable[[str], Import], candidate: Import) -> Callable[[Node], bool]:
    """Tells of any node whether it is that very import, written for it alone."""

    @cache
    def is_it(node: Node) -> bool:
        try:
            return parse(" ".join(text_of(node).split())) == candidate
        except RequestError:  # no import, or one of several names
            return False

    return is_it


@cache
def known(language: str) -> dict[str, Any]:
    """What `known.toml` says of the names that are most often brought to a language."""
    import tomllib  # 14 ms, for those who need a hint

    with open(os.path.join(os.path.dirname(__file__), "known.toml"), "rb") as file:
        return dict(tomllib.load(file)[language])


def words(text: bytes) -> frozenset[str]:
    """The words of a text, such as a string's."""
    return frozenset(_NAME.findall(text.decode("utf-8", "replace")))


def placed(root: Node, skipped: frozenset[str]) -> Iterator[tuple[Node, str | None, str]]:
    """Every leaf outside of the kinds to skip, with its field and the kind of its parent."""
    cursor = root.walk()
    kinds: list[str] = []
    while True:
        node = cursor.node
        assert node is not None
        if node.type not in skipped and cursor.goto_first_child():
            kinds.append(node.type)
            continue
        if node.type not in skipped:
            yield node, cursor.field_name, kinds[-1] if kinds else ""
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent() or not kinds:
                return
            kinds.pop()
