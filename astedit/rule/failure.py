"""A rule that is wrong: which one, in which file, at which key."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from astedit.errors import AstEditError, RequestError
from astedit.text import meant

_SHOWN = 20  # names in a hint


class RuleError(RequestError):
    """A rule that cannot be read or compiled.

    `rule` is its id, or None while that is not known; `place` the path of keys inside
    it, such as `rule.all[1].kind`, `key` the one in there that does not belong there;
    `at` is the number of its document in the file, if the id does not tell, `line` the line
    of the file, from 1, once somebody looked it up.
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
        key: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, path=path, code=code)
        self.rule = rule
        self.place = place
        self.key = key
        self.at: int | None = None
        self.line: int | None = None


@dataclass(slots=True)
class TurnedOff:
    """The rules that a caller turned off by id: a wrong one among them stops nothing.

    Without `ids` nothing that is wrong stops anything. `wrong` are the errors about what was
    left out. With a list of `unknown` keys such a key is named there, and else ignored.
    """

    ids: frozenset[str] | None = frozenset()
    wrong: list[AstEditError] = field(default_factory=list)
    unknown: list[str] | None = None

    def leave_out(self, error: AstEditError) -> None:
        """Stores an error about such a rule, which is left out; raises any other."""
        if self.ids is not None and getattr(error, "rule", None) not in self.ids:
            raise error
        self.wrong.append(error)


def wrong(
    problem: str,
    place: str,
    rule: str | None,
    hint: str | None,
    path: str | None,
    *,
    key: str | None = None,
    code: str | None = None,
) -> RuleError:
    """The error whose message says where the problem is."""
    name = f"Rule {rule!r}" if rule else "A rule"
    message = f"{name}, {place}: {problem}"
    return RuleError(message, rule=rule, place=place, hint=hint, path=path, key=key, code=code)


def one_of(names: Iterable[str], value: object = None) -> str:
    """The hint that lists what is valid; first what is spelled much like `given`."""
    names = list(names)
    return f"{meant(names, value)}One of: {', '.join(names)}."


def some_of(names: Iterable[str], value: object) -> str:
    """The same for names of which there may be many: the first ones are enough."""
    names = list(names)
    shown = one_of(names if len(names) <= _SHOWN else [*names[:_SHOWN], "…"])
    return f"{meant(names, value)}{shown}"


def captured(name: str, names: Iterable[str]) -> str:
    """The hint that lists the captures there are."""
    known = sorted(f"${one}" for one in names)
    if not known:
        return "It captures nothing: names such as $NAME do, $_NAME does not."
    return f"{meant(known, '$' + name)}Captured: {', '.join(known)}."
