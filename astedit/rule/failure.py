"""A rule that is wrong: which one, in which file, at which key."""

from collections.abc import Iterable

from astedit.errors import RequestError


class RuleError(RequestError):
    """A rule that cannot be read or compiled.

    `rule` is its id, or None while that is not known; `place` the path of keys inside
    it, such as `rule.all[1].kind`.
    """

    code = "bad_rule"

    def __init__(
        self,
        message: str,
        *,
        rule: str | None = None,
        place: str = "",
        hint: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, path=path)
        self.rule = rule
        self.place = place


def wrong(
    problem: str, place: str, rule: str | None, hint: str | None, path: str | None
) -> RuleError:
    """The error whose message says where the problem is."""
    name = f"Rule {rule!r}" if rule else "A rule"
    return RuleError(f"{name}, {place}: {problem}", rule=rule, place=place, hint=hint, path=path)


def one_of(names: Iterable[str]) -> str:
    """The hint that lists what is valid."""
    return f"One of: {', '.join(names)}."
