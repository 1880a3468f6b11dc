"""What the engine must know about the nodes of a grammar and cannot ask the grammar.

The files in `traits/` hold the facts of each language. Every kind they name was seen in
the trees of the grammars in `table.py`, from both providers, and
`tests/unit/language/test_facts.py` has a source text for each.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.language.brackets import beyond, kind_names, node_behind, place_names, read

if TYPE_CHECKING:
    from tree_sitter import Node

_LEADING = frozenset({"decorator", "attribute_item"})


class Naming(NamedTuple):
    """How definitions are found and named in one language.

    `query` captures them. `@class` and `@function` open a scope and have a `@name`. So does
    `@scope`, which is no definition itself (a namespace, an `impl`). `@prefix` holds the
    package or namespace of a whole file. `@variable` is a binding; its targets are `@name`
    or, in a list, `@targets`. `@attribute` is an attribute of `@self`. `@body` is what
    remains of a region with `body_only`. `@global` holds names that a Python function binds
    outside itself.

    `by_path`: the module's path is part of the full name, as no declaration says it.
    `wrappers` are parents that belong to a definition's region. `leading` are the siblings
    before it that do (decorators, attributes). `constructor` is what one is called.
    """

    query: str
    by_path: bool = False
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = _LEADING
    constructor: str = "<init>"


class Respelling(NamedTuple):
    """A change to a pattern's text, and what the change is for.

    `before` is a regular expression, `after` its replacement.
    """

    reason: str
    before: str
    after: str


class Spelling(NamedTuple):
    """What the doctor may try with a pattern that is not right.

    `semicolons`: statements and members end in `;`, which may or may not belong to the node
    that the pattern means. `sigils`: `$a` is a variable of the language, so it is no
    metavariable in the wrong case. `named_variables`: no metavariable can stand where a
    variable is declared or assigned. `bodies` may be missing after the head of a definition
    or statement. After one of the changes in `wider` a pattern matches code that people
    forget. `quotes` names a language in which a metavariable stands inside of them.
    """

    semicolons: bool = False
    sigils: bool = False
    named_variables: bool = False
    bodies: tuple[str, ...] = (" $$$BODY", ": $$$BODY", " { $$$BODY }")
    wider: tuple[Respelling, ...] = ()
    quotes: str | None = None


END = ("\n$$$BODY\nend",)  # the body of a language whose blocks end with a word
TYPE_ARGUMENTS = Respelling("With type arguments", r"\(", "<$$$TYPES>(")


TEXT = "text"  # of a document, which means the same wherever it is
WORD = re.compile(rb"[\w@%+=:,./-]+")  # in which a shell expands nothing, in quotes or not

PLACE = "…"


def contexts(lines: str) -> Iterator[tuple[str, str]]:
    """Pairs of what a place is called and the text around `PLACE`, in the order of the lines.

    A line is `title | text`; `\\n` in it is a line break of the text.
    """
    for line in filter(None, map(str.strip, lines.splitlines())):
        title, _, template = line.partition(" | ")
        yield title, template.replace("\\n", "\n")


class Facts(NamedTuple):
    """What one language's nodes mean to an edit.

    `literals`: kinds whose lines after the first belong to the program's data, so they
    are never re-indented. YAML, Markdown and Zig have none: their multi-line texts move
    with the code around them. `blocks`: kinds that must hold a statement, with the
    `placeholder` that fills one. `comments`: how a comment that runs to the end of its
    line begins; `long_comments` begins one that does not, though it looks the same.
    `dotted`: names are joined by dots, and in code that parses no node that begins with a
    name and has children begins right behind a single dot, save one of these kinds; None
    where that does not hold, or nobody has looked. `words`: beside the tokens that the
    grammar's own table names, what no identifier may be called without the tree being
    another one; None where nobody has looked. Go, Rust and TypeScript have some.
    `keywords`: kinds of node of which, in code that parses, each has one of these words or
    signs as a token right below it; tokens are spelled as they are called, but for those
    with a blank or a `#`. None where nobody has looked. `code_in_literals`: the kind of
    node that is code within a literal, where literals in that code must have other quotes;
    None where they may have the same. `plain_holes`: what a template is does not depend on
    what its holes are filled with, as in C, where `a * b` may be a declaration.
    `statements`: kinds of statement that parse the same wherever a statement may stand,
    those that govern a body included; each ends with its line. None are listed where nobody
    has looked.
    `blank_lists`: kinds of list that have blanks between their items, and no commas.
    `tuples`: kinds of node whose items, all of them, are one value though no brackets of
    their own may be around them. None are listed where `a, b` is no value, or nobody has
    looked.
    `ends_lines`: a value at the end of its line ends the statement, if no comma may follow it.
    `types`: kinds of node that what is an expression elsewhere has where a type stands.
    `bare`: kinds of block that begin behind the comments at their start, and may be empty.
    `bullets`: the mark of an item, `- `, indents what nests in it.
    `calls_only`: finds the holes that stand for a statement only as a call.
    `texts`: kinds of plain text that go on with what is beside them, as `b` does in the `--a=b`
    of Bash, and the text of HTML without a tag in it.
    `output`: finds text between code, which the program writes as it is.
    `lax_comments`: is it the grammar alone that takes such comments, and not the language?
    `proved_by_shape`: of edits of one shape one is proved for all. False where nobody has
    looked; `docs/development/rewriting.md` says what there is to look at.
    """

    literals: frozenset[str] = frozenset()
    comments: tuple[bytes, ...] = (b"//",)
    blocks: frozenset[str] = frozenset()
    placeholder: str | None = None
    long_comments: tuple[bytes, ...] = ()
    dotted: frozenset[str] | None = None
    words: frozenset[str] | None = None
    keywords: Mapping[str, tuple[str, ...]] | None = None
    code_in_literals: str | None = None
    plain_holes: bool = False
    statements: frozenset[str] = frozenset()
    blank_lists: frozenset[str] = frozenset()
    tuples: frozenset[str] = frozenset()
    ends_lines: bool = False
    types: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    bullets: bool = False
    calls_only: re.Pattern[str] | None = None
    texts: frozenset[str] = frozenset()
    output: re.Pattern[bytes] | None = None
    lax_comments: bool = False
    proved_by_shape: bool = False

    @classmethod
    def of(cls, *literals: Any, **others: Any) -> "Facts":
        """The facts, each written as words between blanks, as the files in `traits/` do."""
        return cls(**read(cls, *literals, **others))

    def ends_line(self, text: bytes) -> bool:
        """True when `text`, an extra node, is a comment that the end of its line ends.

        False when it brings its newline along, as Rust's doc comments do.
        """
        return (
            text.startswith(self.comments)
            and not text.startswith(self.long_comments)
            and not text.endswith(b"\n")
        )

    def widened(self, root: "Node", low: int, data: bytes) -> tuple[int, int]:
        """Where texts begin and end that go on beyond some data, if that means the same there."""
        high = low + len(data)
        first = root.descendant_for_byte_range(low, low + 1) if self.texts and data else None
        last = root.descendant_for_byte_range(high - 1, high)
        is_same = TEXT in self.texts or WORD.fullmatch(data)
        if first is None or last is None or not is_same or b"~" in (first.text or b""):
            return low, high
        start = first.start_byte if first.type in self.texts else low
        return min(low, start), max(high, last.end_byte if last.type in self.texts else high)

    def sole_statements(self, block: "Node", gone: Container[int]) -> set[int]:
        """Which of its children, all gone together, leave a block without a statement.

        `gone` holds ids. The children are looked at once, however many of them go.
        """
        empty: set[int] = set()
        behind = block.next_named_sibling if block.type == "case_statement" else None
        if block.type not in self.blocks or (behind is not None and not behind.is_extra):
            return empty  # a case goes on with the next one
        run: list[int] = []  # children that are gone, with nothing that stays between them
        before: Node | None = None
        for child in (*block.children, None):
            if child is not None and child.id in gone:
                run.append(child.id)
            elif child is None or not (child.is_extra or child.type in _TERMINATORS):
                if not _is_statement(before) and not _is_statement(child):
                    empty.update(run)
                run, before = [], child
        return empty


_NEXT_CLAUSE = frozenset({"elif_clause", "else_clause"})
_TERMINATORS = frozenset({";", "&", "\n"})


def _is_statement(node: "Node | None") -> bool:
    """Is what stands beside a gap a statement, and no bracket, keyword or next clause?"""
    return node is not None and node.is_named and node.type not in _NEXT_CLAUSE


LABELLED = "break_statement:label", "continue_statement:label"  # kinds that jump to a label
_ONLY = "only:"
_GENERATOR = "*"  # what belongs to one may not stand outside of functions


class Barred(NamedTuple):
    """Which nodes may not stand where, though the grammar takes them there.

    `kinds`: by kind, the places; `only:` is before the few places that are allowed.
    `places`: by place, the kinds that alone may stand there. `reserved` are words that the
    grammar may read as a name, and `lined` are lists whose last item needs a comma where
    its line ends. Nothing follows the kinds of `ending` on their line. Those of `leading` are
    the first in what they stand in, but for others of these kinds. `ranks` are the kinds of
    the items of `lists` in the order that they must come in, all others before them. Those of
    `rows` share no line with another one before them, nor with one bracket alone of their block,
    and each is the only one where the block is on one line. `bound`
    are kinds that belong to the nearest of the `functions`, each with the word that this must
    have; no word where none makes it right.
    `jumps` are kinds that belong to the nearest of some others, as a `break` does to a loop:
    the functions are always among these, since nothing jumps out of one.
    `inside` finds what may not be anywhere in an element with this name: a page's parser ends the
    element there, or takes it for text.
    `is_checked`: is that wrong anywhere, and not only in what was captured? `refuses` says
    what no table does: may this node not stand where it is?
    """

    kinds: Mapping[str, frozenset[str]] = {}
    places: Mapping[str, frozenset[str]] = {}
    reserved: frozenset[bytes] = frozenset()
    lined: frozenset[str] = frozenset()
    ending: frozenset[str] = frozenset()
    leading: Mapping[str, frozenset[str]] = {}
    ranks: tuple[frozenset[str], ...] = ()
    lists: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    bound: Mapping[str, str] = {}
    jumps: Mapping[str, frozenset[str]] = {}
    inside: Mapping[bytes, re.Pattern[bytes]] = {}
    is_checked: bool = True
    refuses: "Callable[[Node], bool] | None" = None

    @classmethod
    def of(cls, *kinds: Any, **others: Any) -> "Barred":
        """The same, each written as words between blanks, as the files in `traits/` do."""
        return cls(**read(cls, *kinds, **others))

    @property
    def asks(self) -> bool:
        """Are there nodes to ask about?"""
        tables = self.kinds, self.places, self.reserved, self.lined, self.ending, self.leading
        return any((*tables, self.rows, self.refuses, self.inside))

    def is_barred(self, node: "Node", function: "Node | None") -> bool:
        """May a node not stand where it does? Brackets around it change nothing.

        `function` is the one around it: to look for that anew takes the square of its depth.
        """
        if node.type == "identifier" and (node.text or b"") in self.reserved:
            return True
        if node.type in self.lined and _lacks_comma(node):
            return True
        if self.ending and self._goes_on(node):
            return True
        if node.type in self.rows and self._shares_row(node):
            return True
        if self.is_checked and node.type in self.bound and self.is_unbound(node, function):
            return True
        if self.refuses is not None and self.refuses(node):
            return True
        if self.inside and node.type == "element" and self._holds_barred(node):
            return True
        return self._is_out_of_order(node) or self._is_misplaced(node)

    def before(self, node: "Node") -> "Node | None":
        """What stands before a node that has to be the first; one of its kind may, once it is."""
        if node.type not in self.leading or node.parent is None:
            return None
        others = self.leading[node.type]
        named = (child for child in node.parent.named_children if not child.is_extra)
        first = next(child for child in named if child.type not in others or child == node)
        return first if first.type != node.type else None

    def is_unbound(self, node: "Node", function: "Node | None") -> bool:
        """Is the function that a node belongs to none that may have it?"""
        word = self.bound[node.type]
        if function is None:
            return word == _GENERATOR
        return not word or word not in _words(function)

    def _holds_barred(self, element: "Node") -> bool:
        """Is what may not be in an element in it, or is it that in one around it?"""
        text, at = element.text or b"", element.children[0].end_byte - element.start_byte
        outer: Node | None = element
        while outer is not None and outer.type == "element" and outer.children[0].child_count > 1:
            barred = self.inside.get((outer.children[0].children[1].text or b"").lower())
            if barred is not None and barred.search(text, at):
                return True
            outer, at = outer.parent, 0
        return False

    def _goes_on(self, node: "Node") -> bool:
        """Does anything stand behind what ends its line?"""
        end, behind = node.end_byte - 1, node_behind(node)
        last = node.descendant_for_byte_range(end, end)
        if last is None or behind is None or behind.is_extra or last.type not in self.ending:
            return False
        return behind.type.strip() != "" and behind.start_point[0] == node.end_point[0]

    def _shares_row(self, node: "Node") -> bool:
        """Is it beside what has to be on a line of its own, or beside one bracket alone?"""
        before, body, row = node.prev_sibling, node.parent, node.start_point[0]
        if before is not None and before.type in self.rows and before.end_point[0] == row:
            return True
        block = body.parent if body is not None and body.type.endswith("body") else None
        if block is None or block.parent is None:
            return False
        is_below = row > block.start_point[0]
        is_above = node.end_point[0] < block.end_point[0]
        return is_below != is_above or (node.type == block.type and not is_below)

    def _is_misplaced(self, node: "Node") -> bool:
        allowed = self.kinds.get(node.type)
        if not node.is_named or node.is_extra or not (allowed or self.places):
            return False
        inner, parent = beyond(node, lambda outer: outer.type.startswith("parenthesized"))
        if parent is None:
            return False
        here = frozenset(place_names(inner, parent))
        names = frozenset(kind_names(node))
        if any(names.isdisjoint(self.places[place]) for place in here if place in self.places):
            return True
        few = {place.removeprefix(_ONLY) for place in allowed or () if place.startswith(_ONLY)}
        return here.isdisjoint(few) if few else not here.isdisjoint(allowed or ())

    def _is_out_of_order(self, node: "Node") -> bool:
        """Does an item stand before or behind a neighbour that has to come first?"""
        parent = node.parent
        if not self.ranks or parent is None or not node.is_named:
            return False
        if parent.type not in self.lists:
            return parent.type == "argument" and self._is_out_of_order(parent)
        before, after = node.prev_named_sibling, node.next_named_sibling
        own = self._rank(node)
        if before is not None and self._rank(before) > own:
            return True
        return after is not None and self._rank(after) < own

    def _rank(self, node: "Node") -> int:
        kind = node.type
        if kind == "argument":
            named = node.child_by_field_name("name") is not None
            kind = "named" if named else node.children[-1].type
        return next((number for number, rank in enumerate(self.ranks, 1) if kind in rank), 0)


def _words(function: "Node") -> Iterator[str]:
    """The signs and words that a function has right below it, or among its modifiers."""
    for child in function.children:
        yield child.type
        if "modifier" in child.type:
            yield from (child.text or b"").decode().split()


def _lacks_comma(listing: "Node") -> bool:
    """Does the line of its last item end without one, before the bracket that closes it?"""
    items = [child for child in listing.children if not child.is_extra]
    if len(items) < 3 or items[-2].type in (",", "\n"):
        return False
    return items[-2].end_point[0] < items[-1].start_point[0]
