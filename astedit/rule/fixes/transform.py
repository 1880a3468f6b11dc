"""New texts from captures: substring, replace, convert. (rules T2-T5, T8)"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from operator import itemgetter
from typing import Any

from tree_sitter import Node

from astedit.language import Row
from astedit.pattern.template import NAME, Slot
from astedit.rule.environment import Environment
from astedit.rule.failure import captured, one_of
from astedit.rule.fixes.case import (
    CASE_CHANGE,
    CASES,
    QUOTES,
    SEPARATORS,
    convert,
    quoted,
    unquoted,
)
from astedit.rule.fixes.pieces import dedented, piece, put_together, separated, whole, with_literals
from astedit.rule.match.node import Captures
from astedit.rule.regex import compile_regex
from astedit.rule.scope import Scope
from astedit.rule.yaml import YamlError, read_yaml
from astedit.text.indent import Mark, Text

_GROUP = re.compile(rb"\$(?:\$|\{([^}]*)\}|([A-Za-z0-9_]+))")
_SOURCE = re.compile(rf"(\${{1,3}})({NAME.pattern})")

_MIXED = re.compile(r"\$(\d+)([A-Za-z_]\w*)")
ITEM = "$ITEM"  # in `each` of items
_LITERAL = re.compile(rb"\w{0,3}[\"'`]")  # how one of text begins
OPERATIONS = {
    "substring": ("source", "startChar", "endChar"),
    "replace": ("source", "replace", "by"),
    "convert": ("source", "toCase", "separatedBy"),
    "rewrite": ("source", "rewriters", "joinBy", "allowEmpty"),
    # ours
    "default": ("source", "value"),
    "concat": ("source", "with", "joinBy", "before", "after"),
    "trim": ("source",),
    "quote": ("source", "mark"),
    "unquote": ("source",),
    "items": ("source", "keep", "drop", "sort", "dedupe", "each", "joinBy"),
}


Compute = Callable[[Slot, Environment], Text | None]


@dataclass(frozen=True, slots=True)
class Transform:
    """One new text under a name of its own; `others` are read beside the source."""

    name: str
    source: Slot
    compute: Compute
    others: tuple[Slot, ...] = ()

    @property
    def reads(self) -> frozenset[str]:
        return frozenset(one.name for one in (self.source, *self.others))


class Transforms:
    """The transforms of one rule, each behind those that it reads."""

    def __init__(self, transforms: Sequence[Transform], row: Row) -> None:
        self.transforms = transforms
        self._row = row

    @cached_property
    def made_of(self) -> Mapping[str, frozenset[Slot]]:
        """By the name of each transform the captures that it reads, other transforms between."""
        made: dict[str, frozenset[Slot]] = {}
        for one in self.transforms:
            read = (one.source, *one.others)
            made[one.name] = frozenset(chain.from_iterable(made.get(s.name, (s,)) for s in read))
        return made

    def apply(self, env: Environment) -> None:
        for one in self.transforms:
            text = with_literals(one.compute(one.source, env) or Text(b""), self._row)
            if not one.others:  # else each of them was moved by itself
                text = dedented(text, one.source, env)
            marks = [mark._replace(name=one.name) for mark in text.marks]
            env.texts = {**env.texts, one.name: Text(text.data, text.frozen, marks)}


def compile_transforms(
    raw: Any, scope: Scope, captures: Captures, rewriting: "MakeRewriting"
) -> Transforms:
    """Compiles `transform:`, whose sources are captures or each other."""
    mapping = scope.mapping(raw, "transform")
    for name in mapping:
        if NAME.fullmatch(name) is None:
            scope.fail(f"{name!r} is not a name for a metavariable", "transform")
        if name in captures:
            scope.fail(f"the rule captures ${name} already", f"transform.{name}")
    compiled = [_transform(name, one, scope, rewriting) for name, one in mapping.items()]
    for one in compiled:
        for name in sorted(one.reads - captures.keys() - mapping.keys()):
            hint = captured(name, captures.keys() | mapping.keys() - {one.name})
            scope.fail(f"${name} is not defined", f"transform.{one.name}", hint)
    return Transforms(_ordered(compiled, scope), scope.row)


def _ordered(transforms: Sequence[Transform], scope: Scope) -> list[Transform]:
    named = {one.name: one for one in transforms}
    order = TopologicalSorter({name: one.reads & named.keys() for name, one in named.items()})
    try:
        return [named[name] for name in order.static_order()]
    except CycleError as error:
        scope.fail("the transform depends on itself", f"transform.{min(error.args[1])}")


def _transform(name: str, raw: Any, scope: Scope, rewriting: "MakeRewriting") -> Transform:
    place = f"transform.{name}"
    if isinstance(raw, str):
        raw = scope.at(place, read_shorthand, raw)
    mapping = scope.keys(raw, place, tuple(OPERATIONS))
    if len(mapping) != 1:
        scope.fail("one operation is expected here", place, one_of(OPERATIONS))
    ((kind, arguments),) = mapping.items()
    place = f"{place}.{kind}"
    arguments = scope.keys(arguments, place, OPERATIONS[kind])
    source = read_source(arguments.get("source"), scope, f"{place}.source")
    if kind == "items" and not source.many:
        scope.fail("items are those of a capture such as $$$NAME", f"{place}.source")
    if kind == "concat":
        others = _others(arguments, scope, place)
        return Transform(name, source, _concat(arguments, others, scope, place), others)
    if kind != "rewrite":
        return Transform(name, source, _MAKE[kind](arguments, scope, place))
    return Transform(name, source, _rewrite(arguments, scope, place, rewriting))


def read_source(raw: Any, scope: Scope, place: str) -> Slot:
    """A capture as rules name it: `$NAME` or `$$$NAME`."""
    text = scope.text(raw, place).strip()
    found = _SOURCE.fullmatch(text)
    if found is None or found[2].startswith("_"):
        scope.fail(f"{text!r} is not a capture such as $NAME", place)
    return Slot(found[2], found[1] == "$$$")


def _substring(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    for key in ("startChar", "endChar"):
        number = arguments.get(key, 0)
        if not isinstance(number, int) or isinstance(number, bool):
            scope.fail("a number is expected here", f"{place}.{key}")
    start, end = arguments.get("startChar"), arguments.get("endChar")
    return _on_text(lambda text: text[start:end])


def _replace(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    for key in ("replace", "by"):
        scope.text(arguments.get(key), f"{place}.{key}")
    expression = scope.at(f"{place}.replace", compile_regex, arguments["replace"])
    if (mixed := _MIXED.search(arguments["by"])) is not None:
        scope.warnings.append(
            f"{place}.by: {mixed[0]} names the group {mixed[0][1:]!r}, which is empty;"
            f" write ${{{mixed[1]}}}{mixed[2]} for group {mixed[1]}."
        )
    by = arguments["by"].encode()
    return _on_bytes(lambda text: _replaced(text, expression, by))


def _replaced(text: bytes, expression: Any, by: bytes) -> bytes:
    out: list[bytes] = []
    last = -1
    at = 0
    for found in expression.finditer(text):
        if found.start() == found.end() == last:
            continue  # nothing right behind a match is no match of its own
        out += [text[at : found.start()], _expanded(by, found)]
        at = last = found.end()
    return b"".join([*out, text[at:]])


def _expanded(by: bytes, match: Any) -> bytes:
    def group(reference: re.Match[bytes]) -> bytes:
        if reference[0] == b"$$":
            return b"$"
        name = (reference[1] if reference[1] is not None else reference[2]).decode()
        key = int(name) if name.isdecimal() and len(name) < 6 else match.re.groupindex.get(name, -1)
        return (match.group(key) or b"") if 0 <= key <= match.re.groups else b""

    return _GROUP.sub(group, by)


def _convert(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    case = scope.choice(arguments.get("toCase"), f"{place}.toCase", "case", CASES)
    separators = arguments.get("separatedBy")
    valid = (CASE_CHANGE, *SEPARATORS)
    if separators is not None and not (
        isinstance(separators, list) and all(one in valid for one in separators)
    ):
        scope.fail("a list of separators is expected here", f"{place}.separatedBy", one_of(valid))
    return _on_text(lambda text: convert(text, case, separators))


MakeRewriting = Callable[[Sequence[str], bytes | None, bool], Compute]


def _rewrite(
    arguments: Mapping[str, Any], scope: Scope, place: str, rewriting: MakeRewriting
) -> Compute:
    names = scope.items(arguments.get("rewriters"), f"{place}.rewriters", "rewriters")
    for name in names:
        if name not in scope.rewriters:
            hint = one_of(sorted(scope.rewriters), name) if scope.rewriters else None
            scope.fail(f"the rewriter {name!r} is not defined", f"{place}.rewriters", hint)
    if (join := arguments.get("joinBy")) is not None:
        scope.text(join, f"{place}.joinBy")
    empty = scope.flag(arguments.get("allowEmpty", False), f"{place}.allowEmpty")
    return rewriting(names, None if join is None else join.encode(), empty)


def _default(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    value = scope.text(arguments.get("value"), f"{place}.value").encode()
    return lambda source, env: Text(env.text(source) or value)


def _others(arguments: Mapping[str, Any], scope: Scope, place: str) -> tuple[Slot, ...]:
    """The captures that `concat` puts behind its source."""
    listed = scope.items(arguments.get("with", []), f"{place}.with", "captures")
    return tuple(read_source(one, scope, f"{place}.with[{at}]") for at, one in enumerate(listed))


def _concat(
    arguments: Mapping[str, Any], others: tuple[Slot, ...], scope: Scope, place: str
) -> Compute:
    """Joins the texts that are not empty; the result is empty if all of them are."""
    joint, before, after = (
        scope.text(arguments.get(key, ""), f"{place}.{key}").encode()
        for key in ("joinBy", "before", "after")
    )

    def compute(source: Slot, env: Environment) -> Text | None:
        pieces = [(one, with_literals(piece(one, env), scope.row)) for one in (source, *others)]
        texts = [dedented(text, one, env) for one, text in pieces]
        parts = separated(([text] for text in texts if text.data), joint)
        return put_together([Text(before), *parts, Text(after)]) if parts else None

    return compute


def _quote(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    mark = arguments.get("mark", '"')
    if mark not in QUOTES:
        scope.fail(f"unknown quotation mark {mark!r}", f"{place}.mark", one_of(QUOTES))
    return _on_text(lambda text: quoted(text, mark))


def _items(arguments: Mapping[str, Any], scope: Scope, place: str) -> Compute:
    tests = []
    for key in ("keep", "drop"):
        if key in arguments:
            where = f"{place}.{key}"
            regex = scope.at(where, compile_regex, scope.text(arguments[key], where))
            tests.append((regex.search, key == "keep"))
    each = scope.text(arguments.get("each", ITEM), f"{place}.each").encode().split(ITEM.encode())
    joint = scope.text(arguments.get("joinBy", ", "), f"{place}.joinBy").encode()
    ordered, once = (
        scope.flag(arguments.get(key, False), f"{place}.{key}") for key in ("sort", "dedupe")
    )

    def compute(source: Slot, env: Environment) -> Text | None:
        if not _are_items(nodes := [node for node in env.nodes(source) if not node.is_extra]):
            env.lose(nodes)
            return None
        texts = [(env.source[n.start_byte : n.end_byte], n) for n in nodes if n.is_named]
        texts = [t for t in texts if all((f(t[0]) is not None) == wanted for f, wanted in tests)]
        texts = [*dict(texts).items()] if once else texts
        texts = sorted(texts, key=itemgetter(0)) if ordered else texts
        items = (whole(Text(text), Mark(0, 0, source.name, (node,))) for text, node in texts)
        groups = ([part for text in each for part in (item, Text(text))][1:] for item in items)
        return put_together(separated(groups, joint))

    return compute


def _are_items(nodes: Sequence[Node]) -> bool:
    """Is what is captured of a Rust macro, which is tokens, one token between two commas each?"""
    parent = nodes[0].parent if nodes else None
    if parent is None or parent.type != "token_tree":
        return True
    return all((node.type == ",") == bool(at % 2) for at, node in enumerate(nodes)) and all(
        node.is_named for node in nodes[::2]
    )


def _unquote(source: Slot, env: Environment) -> Text | None:
    """What is a literal, and no simple one, has no text that is known: it is lost."""
    if (text := env.text(source)) is None:
        return None
    made = _in_characters(unquoted)(text)
    if made == text and _LITERAL.match(text):
        env.lose(env.nodes(source))
    return Text(made)


def _on_text(change: Callable[[str], str]) -> Compute:
    """Applies a function to the characters of a text. Bytes that are no characters stay."""
    return _on_bytes(_in_characters(change))


def _in_characters(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    return lambda text: change(text.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _on_bytes(change: Callable[[bytes], bytes]) -> Compute:
    def compute(source: Slot, env: Environment) -> Text | None:
        text = env.text(source)
        return None if text is None else Text(change(text))

    return compute


_MAKE: dict[str, Callable[[Mapping[str, Any], Scope, str], Compute]] = {
    "substring": _substring,
    "replace": _replace,
    "convert": _convert,
    "default": _default,
    "trim": lambda *_: _on_text(str.strip),
    "quote": _quote,
    "unquote": lambda *_: _unquote,
    "items": _items,
}


MAX_SIZE = 4_096  # characters; reading takes quadratic time at worst

_CALL = re.compile(r"\s*([A-Za-z]+)\s*\(([^,]*),(.*)\)\s*", re.DOTALL)
_ARGUMENT = re.compile(
    r"""\s*([A-Za-z]+)\s*=\s*('[^']*'|"[^"]*"|\[[^\]]*\]|[^,]*?)\s*(?:,|$)""", re.DOTALL
)


def read_shorthand(text: str) -> dict[str, Any]:
    """The object form of a call; raises ValueError with what is wrong."""
    call = _CALL.fullmatch(text) if len(text) <= MAX_SIZE else None
    if call is None:
        raise ValueError(f"{text!r} is no call such as substring($A, startChar=1)")
    arguments: dict[str, Any] = {"source": call[2].strip()}
    rest, at = call[3], 0
    while rest[at:].strip():
        argument = _ARGUMENT.match(rest, at)
        if argument is None or not argument[2]:
            raise ValueError(f"an argument such as name=value is expected at {rest[at:]!r}")
        if argument[1] in arguments:
            raise ValueError(f"the argument {argument[1]!r} is given twice")
        arguments[argument[1]], at = _value(argument[2]), argument.end()
    return {call[1]: arguments}


def _value(text: str) -> Any:
    try:
        return next(iter(read_yaml(text.encode())), None)
    except YamlError as error:  # its line is that of the value; the file's line follows
        raise ValueError(f"{text} is no value: {error.message.replace(' (line 1)', '')}") from error
