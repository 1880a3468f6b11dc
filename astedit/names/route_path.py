"""What a route's own literal must say for it to have a new full path, or why it cannot."""

import re
from collections.abc import Sequence

from astedit.errors import PreconditionError
from astedit.names.routes import Prefix, Route
from astedit.names.urls import joined, normal, parameters

_SPELLED = re.compile(r"<[^<>]*>|\{(?:[^{}]|\{[^{}]*\})*\}|(?<=/):[A-Za-z_]\w*(?:\([^()]*\))?")


def new_local(route: Route, every: Sequence[Route], new: str) -> str:
    """The text that the registration's literal becomes.

    Raises `PreconditionError`: prefixes of other literals must stay, and so must the
    parameters that the handler takes.
    """
    one = route.registration
    if len(one.paths) != 1 or one.paths[0] is None or one.framework == "django-regex":
        raise PreconditionError(
            f"The path of {route.node.id} is not one plain literal.",
            code="no_literal",
            path=route.node.path,
            hint="Edit it with `astedit edit`.",
        )
    old = one.paths[0]
    _check_parameters(route, new)
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
    raise _kept(route.chains[0], every, new, route)


def _length(new: str, head: str) -> int:
    """How many characters of `new` say what `head` says, however parameters are spelled."""
    for end in range(len(new), -1, -1):
        if normal(new[:end]) == normal(head):
            return end
    return len(head)


def _text(chain: Sequence[Prefix]) -> str:
    known = [prefix.text for prefix in chain if prefix.text]
    return joined(*known) if known else ""


def _kept(
    chain: Sequence[Prefix], every: Sequence[Route], new: str, route: Route
) -> PreconditionError:
    """The refusal that names the first literal whose prefix the new path lacks."""
    at = 0
    for at in range(len(chain)):
        head = _text(chain[: at + 1]).rstrip("/")
        if normal(new) != normal(head) and not normal(new).startswith(normal(head) + "/"):
            break
    prefix = chain[at]
    sharing = sum(any(prefix in each for each in one.chains) for one in every)
    return PreconditionError(
        f"{new} does not begin with {prefix.text!r}, which the {prefix.made} at "
        f"{prefix.path}:{prefix.line} gives to {sharing} route{'' if sharing == 1 else 's'}.",
        code="prefix",
        path=route.node.path,
        hint="Keep the prefix, or change that literal with `astedit edit`.",
    )


def _check_parameters(route: Route, new: str) -> None:
    """A handler is called with the path's parameters: they may change only if it may."""
    before, after = set(parameters(route.templates[0])), set(parameters(new))
    handler = set(route.registration.parameters)
    known = route.registration.region and route.node.language == "python"
    gone = sorted((before - after) & handler if known else before - after)
    if gone:
        said = "its handler still takes it" if known else "its handler may take it"
        raise PreconditionError(
            f"{new} has no parameter {gone[0]!r}, and {said}.",
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
    """Another route of the same root must not have that path and a method in common."""
    for other in every:
        mine, theirs = set(route.node.methods), set(other.node.methods)
        elsewhere = other is route or other.node.root != route.node.root
        if elsewhere or (mine and theirs and not mine & theirs):
            continue
        if any(normal(text) == normal(new) for text in other.templates):
            raise PreconditionError(
                f"{new} is the path of {other.node.id} already.",
                code="collision",
                path=other.node.path,
            )


def _respelled(local: str, old: str) -> str:
    """The parameters in it spelled as they are in the old literal: `<int:id>` for `{id}`."""
    spelled = {tuple(parameters("/" + one[0])): one[0] for one in _SPELLED.finditer(old)}
    return _SPELLED.sub(
        lambda m: spelled.get(tuple(parameters("/" + m[0])), m[0]) if m[0][0] == "{" else m[0],
        local,
    )
