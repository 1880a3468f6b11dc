"""Names that are written in strings: in lists, annotations, examples, formats, and code."""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from astedit.python.definitions import DefinitionReader
from astedit.python.facts import AttributeUse, ListedUse, NameUse, StringUse, Use
from astedit.python.passed_values import tested_names
from astedit.python.scopes import NameScope, Scopes
from astedit.python.syntax import (
    arguments,
    dotted_start,
    evaluated,
    inside,
    is_string,
    last_name,
    parts_of,
    plain,
    starred,
    subject_of,
    text_of,
)

SPELLED, FIELD, EXAMPLE = "a string", "a format's field", "an example in a string"
TYPE_COMMENT = "a type comment"
CODE, SHOWN, DATA = "code in a string", "a text that shows it", "bytes that hold the name"
_LARGEST = 65_536  # characters of a string up to which it may be taken for code
_PATH = re.compile(r"(?:[\w.-]+\s*=\s*(?=[\w.]+:))?([\w.:]+)")  # an entry point has a name
# before a text that is searched for in others, such as messages
_SEARCHED = re.compile(rb"(?:\bmatch=|\bre\.\w+\(|\bassert\w*Regex\([^()]*,)\s*[rRbBfFuU]*$")
_GOES_ON = re.compile(r"[(\[]|\.\w")  # behind a member, in a text that is code
_FIELD = 200  # characters of a format's field that are looked back over


def mentions(name: str, raw: str, value: str | bytes, *, prose: bool) -> Iterator[StringUse]:
    """Every place of `name` in a string that may mean it, counted from the string's start.

    `raw` is the string as it is written and `value` what it evaluates to. Mere words are
    no mention. In `prose`, that is in docstrings, only examples are one.
    """
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    if isinstance(value, bytes):
        if _holds(name.encode(), value):
            yield StringUse(0, "", DATA)
        return
    path = _PATH.fullmatch(value)
    if path is not None and re.search(word, path[1]):
        yield StringUse(0, "", SPELLED)
        return
    examples = list(re.finditer(rf"^[ \t]*(?:>>>|\.\.\.)[ \t].*?{word}.*$", raw, re.M))
    for line in examples:
        for place in re.finditer(word, line[0]):
            yield StringUse(line.start() + place.start(), _sign(line[0], place), EXAMPLE)
    if not examples and not prose:
        yield from _in_text(name, word, raw, value)


def _in_text(name: str, word: str, raw: str, value: str) -> Iterator[StringUse]:
    """The places in a string of many words, or of code."""
    code = CODE if _is_code(name, value) else ""
    for place in re.finditer(word, raw):
        sign = _sign(raw, place)
        before = raw[max(0, place.start() - _FIELD) : place.start()]
        field = sign == "." and re.search(r"\{[^{}]*\.$", before)
        is_shown = sign in ("(", "<") or (sign == "." and _GOES_ON.match(raw, place.end()))
        if kind := code or (FIELD if field else SHOWN if is_shown else ""):
            yield StringUse(place.start(), sign, kind)


def _holds(name: bytes, value: bytes) -> bool:
    """Whether bytes have the name as a word; in a pickle, anything may follow it."""
    pickled = re.search(rb"[\x00-\x08\x0e-\x1f\x80-\xff]", value) is not None
    behind = b"" if pickled else rb"(?![A-Za-z0-9_])"
    return re.search(rb"(?<![A-Za-z0-9_])" + re.escape(name) + behind, value) is not None


def _sign(text: str, place: re.Match[str]) -> str:
    before = text[max(0, place.start() - 1) : place.start()]
    if before in (".", "<"):
        return before
    behind = text[place.end() : place.end() + 2]
    return behind[:1] if behind[:1] == "(" or (behind[:1] == "=" and behind != "==") else ""


def _is_code(name: str, text: str) -> bool:
    """Whether a text is Python that names it, and not plain words, which rarely parse."""
    if len(text) > _LARGEST or not re.search(r"[(=\n]|\bimport\b", text):
        return False
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes in a stranger's text
            tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(name in _names_in(node) for node in ast.walk(tree))


def _names_in(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            return (name,)
        case ast.ImportFrom(names=aliases):
            return tuple(alias.name for alias in aliases)
    return ()


_TYPING = ("typing.", "typing_extensions.")
_GENERIC = (
    *_TYPING,
    *("builtins.dict", "builtins.frozenset", "builtins.list", "builtins.set", "builtins.tuple"),
    *("builtins.type", "collections."),
)
# which arguments of a call are types
_TYPED = {
    **dict.fromkeys(("TypeVar", "ParamSpec", "NewType", "TypeAliasType"), slice(1, None)),
    **dict.fromkeys(("TypedDict", "NamedTuple", "assert_type"), slice(1, 2)),
    "cast": slice(1),
}
_FIELDS = ("TypedDict", "NamedTuple")  # whose argument names fields with their types
# what is told its own name: `T = TypeVar("T")`
_NAMED = (
    *("TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "TypeAliasType"),
    *("namedtuple", *_FIELDS),
)
_LISTS = ("__slots__", "__match_args__")
_EXPRESSIONS = ("interpolation", "format_expression")


class SpelledUses(DefinitionReader):
    """Notes the uses of `_old` in strings: those that are names, and those that may be."""

    def __init__(self, text: bytes, scopes: Scopes, old: str, new: str | None) -> None:
        super().__init__(scopes)
        self._text, self._old, self._new = text, old, new
        self._name = old.encode()
        self._word = re.compile(rb"(?<!\w)" + re.escape(self._name) + rb"(?!\w)")
        # a field of a format, where one may be filled with all that an object has
        fills = any(word in text for word in (b"__dict__", b"vars(", b"asdict("))
        self._field = rf"(?:%\(|\{{|\$\{{?)(?={re.escape(old)}\b)" if fills else "(?!)"
        self._seen: set[int] = set()
        self._plain: set[int] = set()  # strings in annotations that are no types
        self._prose: set[int] = set()  # docstrings

    # -- lists of names --------------------------------------------------------------------

    def listed(self, name: str, value: Node) -> None:
        """Strings of `__all__`, of a class's `__slots__` and of `TypeVar` are names."""
        owner = self.owner()
        if name == "__all__" and not self.prefix:
            self.strings(value, "")
        elif name in _LISTS and owner:
            self.strings(value, owner)
        elif name == self._old and not self.prefix and last_name(value) in _NAMED:
            scope = self.scopes.module
            first = arguments(value)[:1]
            for start in (start for item in first for start in self.keys(item.value)):
                names = self.scopes.bound(scope, name)
                self._note_name(start, start + len(self._name), scope, names)

    def strings(self, value: Node, owner: str) -> None:
        """Takes the strings of a list for names of the module, or of the class `owner`."""
        value = plain(value)
        function = text_of(value.child_by_field_name("function"))
        if function.endswith((".split", ".splitlines")):  # of `"add sub".split()`
            for place in self._word.finditer(self._text, *value.byte_range):
                self._note_listed(place.start(), owner)
        if value.type == "binary_operator":
            for side in parts_of(value):
                self.strings(side, owner)
        for start in self.keys(value):
            self._note_listed(start, owner)

    def keys(self, value: Node) -> list[int]:
        """Where the name begins in a string, or in those of a list, or as a dict's key."""
        value, starts = plain(value), []
        nodes = [value]
        if value.type in ("list", "tuple", "set", "expression_list"):
            nodes = [starred(part)[0] for part in parts_of(value)]
        elif value.type == "dictionary":
            nodes = [
                plain(part.child_by_field_name("key") or starred(part)[0])
                for part in parts_of(value)
            ]
        for node in nodes:
            if is_string(node) and evaluated(node) == self._old:
                self._seen.add(node.id)
                starts.append(node.children[0].end_byte)
        return starts

    def visit_function_definition(self, node: Node) -> None:
        name = self.prefix + text_of(node.child_by_field_name("name"))
        for string in tested_names(self.decorators):
            for place in self._word.finditer(self._text, *string.byte_range):
                self._note_listed(place.start(), name)
                self._seen.add(string.id)
        super().visit_function_definition(node)

    def _note_listed(self, start: int, owner: str) -> None:
        self._note(ListedUse(start, start + len(self._name), owner))

    # -- annotations -----------------------------------------------------------------------

    def visit_subscript(self, node: Node) -> None:
        """The values in `Literal[...]`, and what `Annotated` adds to a type, are plain."""
        subject = subject_of(node)
        above = node.parent.parent if node.parent is not None else None
        is_base = above is not None and above.type == "class_definition"
        takes_types = is_base or self._is_from(subject, _GENERIC)
        kind = last_name(subject)
        if kind in ("Literal", "Annotated"):
            self._plain |= {part.id for part in inside(node)[kind == "Annotated" :]}
        self._annotated += takes_types
        self.walk_all(parts_of(node))
        self._annotated -= takes_types

    visit_generic_type = visit_subscript

    def visit_call(self, node: Node) -> None:
        """What functions of typing read as types are annotations."""
        self.grown(node)
        types = self._types_in(node)
        self.walk_fields(node, "function")
        for listing in node.children_by_field_name("arguments"):
            for part in parts_of(listing) if listing.type == "argument_list" else [listing]:
                self._annotated += part in types
                self.walk(part)
                self._annotated -= part in types

    def _types_in(self, node: Node) -> list[Node]:
        """The arguments that a call takes for types; names of fields in them are plain."""
        function, listing = map(node.child_by_field_name, ("function", "arguments"))
        place = _TYPED.get(last_name(node))
        is_typing = function is not None and self._is_from(function, _TYPING)
        if place is None or listing is None or not is_typing:
            return []
        types = parts_of(listing)[place]
        if last_name(node) in _FIELDS:
            fields = [field for part in types for field in parts_of(plain(part))]
            self._plain |= {name.id for field in fields for name in parts_of(field)[:1]}
        return types

    def _is_from(self, node: Node, sources: tuple[str, ...]) -> bool:
        return any(name.startswith(sources) for name in self.scopes.qualified(node))

    def _quotes(self, node: Node) -> bool:
        """Takes the names in a quoted annotation for uses."""
        (start, end), scope = node.byte_range, self.scopes.of(node)
        places = [place.span() for place in self._word.finditer(self._text, start, end)]
        for low, high in places:
            before = self._text[dotted_start(self._text, low) : low].decode()
            if before:
                self._note(AttributeUse(low, high, self.expressions.named(before[:-1], scope)))
            else:
                self._note_name(low, high, scope, self.scopes.bound(scope, self._old))
        return bool(places)

    # -- any other string ------------------------------------------------------------------

    def visit_expression_statement(self, node: Node) -> None:
        for part in parts_of(node):
            self._prose.add(plain(part).id)
            self.walk(part)

    def visit_string(self, node: Node) -> None:
        if not is_string(node):
            self._formatted(node)
        elif self._name in (node.text or b"") and node.id not in self._seen:
            is_type = self._annotated and node.id not in self._plain and self._quotes(node)
            if not is_type:
                self._note_mentions(*node.byte_range, evaluated(node) or "", node.id in self._prose)

    def _formatted(self, node: Node) -> None:
        """The texts between the expressions of a string, and those expressions."""
        start = node.children[0].end_byte if node.type == "string" else node.start_byte + 1
        parts = [part for part in node.named_children if part.type in _EXPRESSIONS]
        end = node.children[-1].start_byte if node.type == "string" else node.end_byte
        for part in parts:
            self._note_text(start, part.start_byte)
            for inner in parts_of(part):
                if inner.type == "format_specifier":
                    self._formatted(inner)
                else:
                    self.walk(inner)
            start = part.end_byte
        self._note_text(start, end)

    def _note_text(self, start: int, end: int) -> None:
        if self._name in self._text[start:end]:
            self._note_mentions(start, end, self._text[start:end].decode(), prose=False)

    def _note_mentions(self, start: int, end: int, value: str | bytes, prose: bool) -> None:
        text = self._text[start:end].decode()
        uses = [*mentions(self._old, text, value, prose=prose)]
        if not uses and not prose:
            uses = [StringUse(place.end(), ".", FIELD) for place in re.finditer(self._field, text)]
        if not uses and _SEARCHED.search(self._text, max(0, start - _FIELD), start):
            word = self._word.pattern.decode()
            uses = [StringUse(place.start(), "", SHOWN) for place in re.finditer(word, text)]
        for use in uses:
            self._note(replace(use, start=start + len(text[: use.start].encode())))

    def type_comments(self) -> None:
        """Notes the names in comments that say of what type something is."""
        for comment in re.finditer(rb"#[ \t]*type:.*", self._text):
            node = self.scopes.root.descendant_for_byte_range(*comment.span())
            if node is not None and node.type == "comment":
                for place in self._word.finditer(self._text, *comment.span()):
                    self._note(StringUse(place.start(), "", TYPE_COMMENT))

    # -- notes -----------------------------------------------------------------------------

    def _note_name(
        self, start: int, end: int, scope: NameScope | None, names: tuple[str, ...]
    ) -> None:
        """Notes a use of the name itself, in a scope, bound as one of these names."""
        prefix = scope.prefix if scope is not None else ""
        self._note(NameUse(start, end, prefix, names, self._shadows(scope)))

    def _shadows(self, scope: NameScope | None) -> tuple[str, ...]:
        return self.scopes.bound(scope, self._new) if self._new else ()

    def _note(self, use: Use) -> None:
        self.facts.uses.append(use)
