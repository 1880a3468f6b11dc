"""`remove`: a definition that nothing evidently uses, with all that belongs to it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tree_sitter import Node

from astedit.engine.change_steps import WorkedOut
from astedit.language import for_path
from astedit.language.brackets import nearest
from astedit.language.traits import traits
from astedit.model.plan import Plan
from astedit.python.facts import ImportUse, ListedUse, SpelledUse
from astedit.python.syntax import parts_of
from astedit.rewrite.lay.list_items import ItemList, inserted, listing_at
from astedit.rewrite.make.align import Items
from astedit.rewrite.make.delete import cuts, emptied
from astedit.rule.scope import EditedFile
from astedit.semantic.file_imports import OutsideNeeds
from astedit.semantic.imports.edits import without_idle_imports
from astedit.semantic.imports.lines import runs_of_lines, with_gap
from astedit.semantic.imports.python import Python, PythonImport
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import ListedHint, UsePlace, in_use, listed, refuse_listed
from astedit.semantic.module_code import WorkspaceCode, refused
from astedit.semantic.rename.definition_nodes import SPECIAL, definition_nodes, special
from astedit.semantic.rename.gather import JudgedUses, References, gather, keeping_decorators
from astedit.text.indent import Text
from astedit.text.source import Change, end_of_line, line_end, line_start, splice

# a comment of the file, whatever stands below it
_OF_FILE = re.compile(rb"#!|#.*coding[:=]|.*(?:copyright|license|spdx)", re.IGNORECASE)


def shares_line(node: Node, code: bytes) -> bool:
    """Whether a line of a statement has other code too."""
    before = code[line_start(code, node.start_byte) : node.start_byte]
    behind = code[node.end_byte : line_end(code, node.end_byte - 1)].partition(b"#")[0]
    return bool(before.strip() or behind.strip())


def statement_cuts(nodes: Sequence[Node], code: bytes) -> list[Change]:
    """The changes that take whole statements away, none of which shares a line.

    The comments directly above a statement go with it, and comments that are further in
    behind it. Of the blank lines around it the fewer go. A block that would be empty gets
    `pass`.
    """
    empty = emptied(nodes, traits("python").facts)
    changes = []
    first = {_top(node, code): node for node in nodes}
    for low, high in runs_of_lines([statement_span(node, code) for node in nodes], code):
        node = first[low]
        if node.id in empty:
            indent = code[line_start(code, node.start_byte) : node.start_byte]
            changes.append((low, high, indent + b"pass" + end_of_line(code)))
        else:
            changes.append((*with_gap(low, high, code, opens=_opens_block(node)), b""))
    return changes


def statement_span(node: Node, code: bytes) -> tuple[int, int]:
    """The lines that go with a statement: with the comments above it, and further in behind."""
    return _top(node, code), _bottom(node, code)


def _top(node: Node, code: bytes) -> int:
    """Where the comments directly above a statement begin."""
    start = line_start(code, node.start_byte)
    indent = code[start : node.start_byte]
    while start > 0:
        above = line_start(code, start - 1)
        line = code[above:start]
        if not line.startswith(indent + b"#") or _OF_FILE.match(line.lstrip()):
            break
        start = above
    return start


def _bottom(node: Node, code: bytes) -> int:
    """Behind the comments at the end of a definition, which are further in than it is."""
    indent = node.start_byte - line_start(code, node.start_byte)
    end = at = line_end(code, node.end_byte - 1)
    while at < len(code):
        line = code[at : line_end(code, at)]
        text = line.lstrip(b" \t")
        if text.strip() and not (text.startswith(b"#") and len(line) - len(text) > indent):
            break
        at += len(line)
        end = at if text.strip() else end
    return end


def _opens_block(node: Node) -> bool:
    before = node.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before is None and node.parent is not None and node.parent.type == "block"


def item_cuts(nodes: Sequence[Node], code: bytes, language: str = "python") -> list[Change]:
    """The changes that take items out of lists; a tuple of one keeps its comma."""
    changes = set(cuts(nodes, code, traits(language).facts))
    lists = {node.parent.id: node.parent for node in nodes if node.parent is not None}
    gone = {node.id for node in nodes}
    for parent in lists.values():
        left = [item for item in parts_of(parent) if item.id not in gone]
        if parent.type == "tuple" and len(left) == 1:
            changes |= _comma_behind(left[0], changes)
    return sorted(changes)


def _comma_behind(node: Node, changes: Iterable[Change]) -> set[Change]:
    """A comma behind the last item of a tuple, unless there is one that stays."""
    comma = node.next_sibling
    at = comma.start_byte if comma is not None and comma.type == "," else -1
    stays = at >= 0 and not any(low <= at < high for low, high, _ in changes)
    return set() if stays else {(node.end_byte, node.end_byte, b",")}


NewItem = int | bytes  # the number of an old item, or the text of a new one


def relisted(
    brackets: Node,
    items: Sequence[Node],
    new: Sequence[NewItem],
    code: bytes,
    text: Callable[[Node], bytes],
    language: str = "python",
) -> list[Change]:
    """The changes that make of a list's `items` the `new` ones; `text` writes a moved one.

    Items that keep their order stay where they are. What comes takes the place of what goes
    there, else it stands as the others do: in the line, or on a line of its own.
    """
    stays = _longest([item for item in new if isinstance(item, int)])
    changes: list[Change] = []
    gone: list[Node] = []
    old_at, new_at = 0, 0
    for stay in (*stays, None):
        low = old_at
        high = len(items) if stay is None else stay
        until = len(new) if stay is None else new.index(stay, new_at)
        coming = [e if isinstance(e, bytes) else text(items[e]) for e in new[new_at:until]]
        going = items[low:high]
        for node, replacement in zip(going, coming, strict=False):
            changes.append((*node.byte_range, replacement))
        gone += going[len(coming) :]
        if len(coming) > len(going):
            changes += _coming(brackets, items, high, coming[len(going) :], code)
        old_at, new_at = high + 1, until + 1
    return sorted({*changes, *item_cuts(gone, code, language)})


def moves(new: Sequence[NewItem]) -> bool:
    """Whether an old item changes places with another."""
    numbers = [item for item in new if isinstance(item, int)]
    return numbers != sorted(numbers)


def _longest(numbers: Sequence[int]) -> list[int]:
    """The longest run of numbers, in their order, that is sorted."""
    best: list[list[int]] = []
    for number in numbers:
        best.append([*max((run for run in best if run[-1] < number), key=len, default=[]), number])
    return max(best, key=len, default=[])


def _coming(
    brackets: Node, items: Sequence[Node], at: int, coming: Sequence[bytes], code: bytes
) -> list[Change]:
    """New items before the item of that number, or at the end."""
    listing = listing_at(brackets.children[0], code)
    assert listing is not None
    place = "append" if items else "fill"
    if items and at < len(items):
        place, listing = "prepend", _from(listing, items, at)
    added = Items(tuple((item,) for item in coming), place, b" ", False)

    def text(parts: Iterable[object], _: object) -> Text:
        return Text(b"".join(part for part in parts if isinstance(part, bytes)))

    pieces = inserted(added, listing, text)
    assert pieces is not None
    return [(piece.start, piece.end, piece.text.data) for piece in pieces]


def _from(listing: ItemList, items: Sequence[Node], at: int) -> ItemList:
    """The part of a list that begins with an item, and the comments on lines above it."""
    before = items[at - 1] if at else None
    row = -1 if before is None else before.end_point.row
    comments = [comment for comment in listing.comments if comment.start_point.row > row]
    return replace(listing, items=list(items[at:]), comments=comments)


_SYNTAX = Python()


def idle_import(use: ImportUse, root: Node, path: str) -> PythonImport | None:
    """The import at the top of a module that brings the name to nobody; None if it may serve.

    In an `__init__.py`, as `f as f`, and where a string such as those of `__all__` holds the
    name, it is there for other modules.
    """
    uses = _SYNTAX.uses(root)
    for statement in _SYNTAX.statements(root):
        for present, node in statement.imports:
            if node.start_byte <= use.start < node.end_byte:
                idle = not uses.hold(present.bound) and _SYNTAX.prunable(present, path)
                return present if idle else None
    return None


_CODE = "not_removable"
_LISTS = ("list", "tuple", "set")


def plan(asked: NameRequest) -> Plan:
    """The plan of a removal; the same tree gives the same plan.

    Raises `StaleError` when the definition's file is not the one that was located, and
    `PreconditionError` where something evidently uses it (`in_use`) and where it is no
    statement that can go (`not_removable`).
    """
    path, old = asked.path, asked.last
    if (row := for_path(path)) is None or row.name != "python":
        raise refused(path, "is not Python: only definitions of Python are removed", _CODE)
    if SPECIAL.fullmatch(old):
        raise special(old)
    with Library(asked, old) as library:
        made = removed(library, path, asked.name)
        places = [hint.place for hint in made.hints if isinstance(hint, ListedHint)]
        refuse_listed(asked.name, places, asked.arguments)
        return asked.plan(made, contained=True)


def removed(library: Library, path: str, name: str) -> WorkedOut:
    """What becomes of the tree without a definition; raises `PreconditionError`."""
    references = gather(library, path, name)
    judged = references.judged()
    removal = _Removal(WorkspaceCode(library), references, path, name)
    removal.sort(judged)
    return library.worked_out(removal.changes(), _hints(removal, judged))


@dataclass(slots=True)
class _Removal:
    """What goes of each file: statements, strings of `__all__`, imports."""

    code: WorkspaceCode
    references: References
    path: str
    name: str
    statements: dict[str, list[Node]] = field(default_factory=dict)
    strings: dict[str, list[Node]] = field(default_factory=dict)
    imports: dict[str, set[PythonImport]] = field(default_factory=dict)

    def sort(self, judged: JudgedUses) -> None:
        """Sorts every evident use into what goes; raises if one is left."""
        self._define()
        left = []
        for path, uses in judged.certain.items():
            left += [(path, use) for use in uses if not self._goes(path, use)]
        if left:
            every = [(path, self.code.needed(path).code, use.start) for path, use in left]
            raise in_use(self.name, self.path, every)

    def _define(self) -> None:
        """Notes the statements that define it, in its module and in the stub of that."""
        twin = self.references.inference.modules.twin(self.path)
        for path in (self.path, twin) if twin else (self.path,):
            module = self.code.needed(path)
            self.statements[path] = definition_nodes(module.root, self.name)
            for node in self.statements[path]:
                if shares_line(node, module.code):
                    raise refused(path, "it shares the line with other code", _CODE, at=node)
        if not self.statements[self.path]:
            why = f"has no statement that defines {self.name!r} and nothing else"
            hint = "`astedit signature` removes a parameter."
            raise refused(self.path, why, _CODE, hint if self.references.is_parameter else None)
        owner = self.references.owner
        facts = self.references.inference.class_facts(owner) if owner is not None else None
        kinds = {node.type for node in self.statements[self.path]}
        if facts is not None and facts.fielded and "expression_statement" in kinds:
            shifts = "the arguments of every call of its class would shift"
            raise refused(self.path, f"has {self.name}, which is a field: {shifts}", _CODE)

    def _goes(self, path: str, use: SpelledUse) -> bool:
        """Notes a use that goes with the definition; False for one that needs it."""
        own = self.statements.get(path)
        if any(node.start_byte <= use.start < node.end_byte for node in own or ()):
            return True
        if isinstance(use, ListedUse) and own is not None:
            node = nearest(self.code.needed(path).at(use), ("string",))
            if node is None or node.parent is None or node.parent.type not in _LISTS:
                return False
            self.strings.setdefault(path, []).append(node)
            return not use.owner
        if isinstance(use, ImportUse):
            idle = idle_import(use, self.code.needed(path).root, path)
            if idle is not None:
                self.imports.setdefault(path, set()).add(idle)
            return idle is not None
        return False

    def changes(self) -> dict[str, list[Change]]:
        """The changes of each file."""
        result: dict[str, list[Change]] = {}
        paths = {path for path, nodes in self.statements.items() if nodes}
        needs = OutsideNeeds(self.code)
        for path in sorted(paths | self.strings.keys() | self.imports.keys()):
            module = self.code.needed(path)
            code = module.code
            changes = statement_cuts(self.statements.get(path, []), code)
            changes = sorted(changes + item_cuts(self.strings.get(path, []), code))
            if path in self.imports:
                more = _SYNTAX.removed(set(self.imports[path]), module.root, code)
                changes = sorted(changes + more)
            if path in paths:
                file = EditedFile(path, "python", code, splice(code, changes))
                changes = without_idle_imports(file, changes, partial(needs.need, path))
            result[path] = changes
        return result


def _hints(removal: _Removal, judged: JudgedUses) -> Iterator[str]:
    """What may use the definition, and what may be meant where it is gone."""
    references, own = removal.references, removal.statements
    nodes = [(path, node) for path, every in own.items() for node in every]
    places = [
        # which may have kept it somewhere: a route, a command, a registry
        *(place for item in nodes for place in keeping_decorators(*item)),
        *references.places(removal.code.library, removal.path, judged),
    ]
    yield from listed(references.old, [place for place in places if not _is_inside(place, own)])
    yield from references.outside_bases("define it too")


def _is_inside(place: UsePlace, statements: dict[str, list[Node]]) -> bool:
    """Whether a place goes with the definition, its decorators aside."""
    nodes = statements.get(place.path, ())
    bodies = (node.child_by_field_name("definition") or node for node in nodes)
    return any(b.start_point.row < place.line <= b.end_point.row + 1 for b in bodies)
