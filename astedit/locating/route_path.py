"""What a route's own literal must say for it to have a new full path, or why it cannot."""

import re
from collections.abc import Sequence

from astedit.errors import PreconditionError
from astedit.locating.frameworks.web_facts import NOWHERE
from astedit.locating.routes import Prefix, Route, full
from astedit.locating.urls import joined, normal, parameters
from astedit.text.count_phrases import number

_SPELLED = re.compile(r"<[^<>]*>|\{(?:[^{}]|\{[^{}]*\})*\}|(?<=/):[A-Za-z_]\w*(?:\([^()]*\))?")


def named_path(route: Route, asked: str | None) -> int:
    """Which path of a registration is meant: its only one, or that which was asked for.

    Raises `PreconditionError` if that cannot be told, and if it is written nowhere or as a
    regular expression.
    """
    registration = route.registration
    if registration.is_regex:
        hint = "Edit it with `astedit edit`: what else it would match, set-path cannot tell."
        raise _no_literal(route, "is a regular expression", hint)
    count = len(registration.paths)
    fits = [at for at in range(count) if count == 1 or _says(route, at, asked)]
    if len(fits) != 1:
        texts = [text for at in range(count) for text in templates_of(route, at)]
        raise PreconditionError(
            f"{route.node.id} is registered with {count} paths.",
            code="ambiguous",
            path=route.node.path,
            hint=f"Name it by one of them: {', '.join(texts)}.",
        )
    if registration.paths[fits[0]].place == NOWHERE:
        raise _no_literal(route, "is written nowhere", "Give the registration a path first.")
    return fits[0]


def _no_literal(route: Route, why: str, hint: str) -> PreconditionError:
    return PreconditionError(
        f"The path of {route.node.id} {why}.", code="no_literal", path=route.node.path, hint=hint
    )


def templates_of(route: Route, at: int) -> list[str]:
    """The full paths that one local path of a registration has."""
    local = route.registration.paths[at].text
    return [] if local is None else [full(chain, local) for chain in route.chains]


def _says(route: Route, at: int, asked: str | None) -> bool:
    return asked is not None and any(
        normal(text) == normal(asked) for text in templates_of(route, at)
    )


def new_local(route: Route, at: int, every: Sequence[Route], new: str) -> str:
    """The text that the registration's literal becomes, that of its path `at`.

    Raises `PreconditionError`: prefixes of other literals must stay, and so must the
    parameters that the handler takes.
    """
    old = route.registration.paths[at].text
    assert old is not None, "named_path has chosen it"
    _check_parameters(route, templates_of(route, at)[0], new)
    _check_free(route, every, new)
    local = _respelled(_without_prefix(route, every, new), old)
    if old.startswith("/") or (not old and local):
        return local if local.startswith("/") or not local else f"/{local}"
    return local.removeprefix("/")


def _without_prefix(route: Route, every: Sequence[Route], new: str) -> str:
    """What is left of the new path below the prefixes that other literals contribute."""
    for chain in route.chains:
        head = _text(chain).rstrip("/")
        if normal(new) == normal(head) or normal(new).startswith(normal(head) + "/"):
            return new[_length(new, head) :]
    raise _around(route.chains[0], every, new, route)


def _length(new: str, head: str) -> int:
    """How many characters of `new` say what `head` says, however parameters are spelled."""
    for end in range(len(new), -1, -1):
        if normal(new[:end]) == normal(head):
            return end
    return len(head)


def _text(chain: Sequence[Prefix]) -> str:
    texts = [prefix.text for prefix in chain if prefix.text]
    return joined(*texts) if texts else ""


def _around(
    chain: Sequence[Prefix], every: Sequence[Route], new: str, route: Route
) -> PreconditionError:
    """The refusal that names the first literal whose prefix the new path lacks."""
    at = 0
    for at in range(len(chain)):
        head = _text(chain[: at + 1]).rstrip("/")
        if normal(new) != normal(head) and not normal(new).startswith(normal(head) + "/"):
            break
    prefix = chain[at]
    sharing = sum(any(prefix in chain for chain in other.chains) for other in every)
    return PreconditionError(
        f"{new} does not begin with {prefix.text!r}, which the {prefix.maker} at "
        f"{prefix.path}:{prefix.line} gives to {number(sharing, 'route')}.",
        code="prefix",
        path=route.node.path,
        hint="Keep the prefix, or change that literal with `astedit edit`.",
    )


def _check_parameters(route: Route, old: str, new: str) -> None:
    """A handler is called with the path's parameters: they may change only if it may."""
    before, after = set(parameters(old)), set(parameters(new))
    handler = set(route.registration.parameters)
    is_handler = route.registration.region and route.node.language == "python"
    gone = sorted((before - after) & handler if is_handler else before - after)
    if gone:
        why = "its handler still takes it" if is_handler else "its handler may take it"
        raise PreconditionError(
            f"{new} has no parameter {gone[0]!r}, and {why}.",
            code="parameters",
            path=route.node.path,
            hint="Change the handler first.",
        )
    added = sorted(after - before - handler)
    if added:
        raise PreconditionError(
            f"The handler of {route.node.id} does not take the new parameter {added[0]!r}.",
            code="parameters",
            path=route.node.path,
            hint="Change the handler first.",
        )


def _check_free(route: Route, every: Sequence[Route], new: str) -> None:
    """No route of the same root has that path and a method in common, itself included."""
    for other in every:
        mine, theirs = set(route.node.methods), set(other.node.methods)
        if other.node.root != route.node.root or (mine and theirs and not mine & theirs):
            continue
        if any(normal(text) == normal(new) for text in other.templates):
            raise PreconditionError(
                f"{new} is the path of {other.node.id} already.",
                code="collision",
                path=other.node.path,
            )


def _respelled(local: str, old: str) -> str:
    """The parameters in it spelled as they are in the old literal: `<int:id>` for `{id}`."""
    spelled = {
        tuple(parameters("/" + written[0])): written[0] for written in _SPELLED.finditer(old)
    }
    return _SPELLED.sub(
        lambda m: spelled.get(tuple(parameters("/" + m[0])), m[0]) if m[0][0] == "{" else m[0],
        local,
    )
