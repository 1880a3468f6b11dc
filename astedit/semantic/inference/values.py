"""What an expression may be, as plain tuples, and the steps from one to what it gives.

A *thing* is a tuple: `("class", path, name)`, `("instance", path, name)`, `("function",
path, name)`, `("module", path)`, `("outside", dotted name)` for what the workspace does
not define, `("holder", things)` for a container of things, `("gives", what, thing)` for a
method of one, `("meta", thing)` for an annotation that names a class itself, `("raised",
things)` for what pytest says of an exception, `("request", things)` for its `request` in a
fixture with parameters, and `UNKNOWN`. Nothing is guessed: a name that two things may be
gives both.
"""

import builtins
from collections.abc import Iterable

Thing = tuple[object, ...]
Place = tuple[str, str]  # a path, and a name qualified in that module

UNKNOWN: Thing = ("?",)
NOTHING: frozenset[Thing] = frozenset()
DOUBT = frozenset({UNKNOWN})
COPYING = ("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve")
GIVING = {  # methods of containers
    **dict.fromkeys(("get", "pop", "popleft", "setdefault"), "element"),
    **dict.fromkeys(("values", "keys", "copy", "elements", "union", "intersection"), "all"),
    **dict.fromkeys(("items",), "pairs"),
}
PASSING = (  # built-in functions that give what they are given
    *("abs", "aiter", "anext", "divmod", "eval", "getattr", "iter", "max", "min", "next", "pow"),
    *("round", "sum", "super", "__import__"),
)
_VAGUE = ("unittest.mock", "typing", "typing_extensions", "collections.abc", "builtins.type object")


def instance(thing: Thing) -> Iterable[Thing]:
    """What something is that has this for its class or annotation."""
    match thing:
        case ("class", path, name):
            return {("instance", path, name)}
        case ("outside", str(dotted)):
            return DOUBT if vague(dotted) else {("outside", f"{dotted}()")}
        case ("meta", tuple(inner)):
            return {inner}
        case ("holder", _):
            return {thing}
    return DOUBT


def given(what: str, holder: Thing) -> Iterable[Thing]:
    """What a method of a container gives: an element, all of them, or them in pairs."""
    if what == "element":
        return element(holder)
    return {holder} if what == "all" else {("holder", frozenset({holder}))}


def element(thing: Thing) -> Iterable[Thing]:
    """What iterating or subscripting gives."""
    match thing:
        case ("holder", frozenset() as inner):
            return inner
        case ("class", _, _):
            return {thing}
        case ("outside", "builtins.str" | "builtins.type str()"):
            return {thing}
        case ("outside", "builtins.int" | "builtins.type int()"):
            return ()  # a key beside the values, perhaps; nothing is in it
    return DOUBT


def class_of(thing: Thing) -> Iterable[Thing]:
    """What `type(…)` gives."""
    return {("class", *thing[1:])} if thing[0] == "instance" else DOUBT


def wrapped(kind: str, inner: frozenset[Thing]) -> Iterable[Thing]:
    """One of these (`u`), the annotation `type[…]` of them, or a container of them."""
    if kind == "u":
        return inner
    if kind == "type of":
        return {("meta", thing) for thing in inner}
    return {("holder", inner)}


def vague(dotted: str) -> bool:
    """Annotations such as `Any` or a type variable say nothing."""
    return dotted.startswith(_VAGUE) or dotted == "builtins.type type"


def lacks(dotted: str, member: str) -> bool:
    """Whether this is an instance of a built-in type without such a member."""
    name = dotted.removeprefix("builtins.").removeprefix("type ").removesuffix("()")
    kind = getattr(builtins, name, None) if dotted.startswith("builtins.") else None
    return isinstance(kind, type) and not hasattr(kind, member)
