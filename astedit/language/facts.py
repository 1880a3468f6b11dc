"""What the engine must know about the nodes of a grammar and cannot ask the grammar.

The files in `traits/` hold the facts of each language. Every kind they name was seen in
the trees of the grammars in `table.py`, from both providers, and
`tests/unit/language/test_facts.py` has a source text for each.
"""

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


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
    """

    literals: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    placeholder: str | None = None
    comments: tuple[bytes, ...] = (b"//",)
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

    @classmethod
    def of(
        cls,
        literals: str = "",
        comments: str = "//",
        *,
        blocks: str = "",
        placeholder: str | None = None,
        long_comments: str = "",
        dotted: str | None = None,
        words: str | None = None,
        keywords: str | None = None,
        code_in_literals: str | None = None,
        plain_holes: bool = False,
        statements: str = "",
        blank_lists: str = "",
        tuples: str = "",
        ends_lines: bool = False,
        types: str = "",
    ) -> "Facts":
        """The facts, each written as words between blanks, as the files in `traits/` do."""
        return cls(
            frozenset(literals.split()),
            frozenset(blocks.split()),
            placeholder,
            tuple(prefix.encode() for prefix in comments.split()),
            tuple(prefix.encode() for prefix in long_comments.split()),
            None if dotted is None else frozenset(dotted.split()),
            None if words is None else frozenset(words.split()),
            None if keywords is None else dict(map(_keywords, keywords.split())),
            code_in_literals,
            plain_holes,
            frozenset(statements.split()),
            frozenset(blank_lists.split()),
            frozenset(tuples.split()),
            ends_lines,
            frozenset(types.split()),
        )

    def ends_line(self, text: bytes) -> bool:
        """True when `text`, an extra node, is a comment that the end of its line ends.

        False when it brings its newline along, as Rust's doc comments do.
        """
        return (
            text.startswith(self.comments)
            and not text.startswith(self.long_comments)
            and not text.endswith(b"\n")
        )

    def sole_statement(self, node: "Node", gone: Iterable[int] = ()) -> bool:
        """True when removing `node` would leave a block without the statement it needs.

        `gone` holds the ids of the nodes that go as well.
        """
        parent = node.parent
        return parent is not None and node.id in self.sole_statements(parent, {node.id, *gone})

    def sole_statements(self, block: "Node", gone: Container[int]) -> set[int]:
        """Which of its children, all gone together, leave a block without a statement.

        `gone` holds ids. The children are looked at once, however many of them go.
        """
        empty: set[int] = set()
        if block.type not in self.blocks:
            return empty
        run: list[int] = []  # children that are gone, with nothing that stays between them
        before: Node | None = None
        for child in (*block.children, None):
            if child is not None and child.id in gone:
                run.append(child.id)
            elif child is None or not (child.is_extra or child.type in _TERMINATORS):
                if not _is_statement(before) and not _is_statement(child, ending=True):
                    empty.update(run)
                run, before = [], child
        return empty


_NEXT_CLAUSE = frozenset({"elif_clause", "else_clause"})
_TERMINATORS = frozenset({";", "&", "\n"})


def _is_statement(node: "Node | None", ending: bool = False) -> bool:
    """Is what stands beside a gap a statement, and no bracket, keyword or next clause?"""
    if node is None or not node.is_named:
        return False
    return not (ending and node.type in _NEXT_CLAUSE)


def _keywords(text: str) -> tuple[str, tuple[str, ...]]:
    """`kind:one|other`; most kinds begin with their word."""
    kind, _, words = text.partition(":")
    return kind, tuple(words.split("|")) if words else (kind.partition("_")[0],)
