"""What a campaign does with a plan beside staging it: `prove:` and `land:` of its file."""

import shlex
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from astedit.errors import RequestError
from astedit.json_model import camel
from astedit.landing.groups import GROUPINGS, GroupedBy


@dataclass(frozen=True, slots=True)
class ProveStep:
    """The command that has to pass with each plan, and what it may cost in one repository."""

    command: str
    baseline_runs: int = 2
    runs: int = 60
    minutes: float = 20.0
    run_timeout: float | None = None
    junit: str | None = None
    fail_regex: str | None = None
    expect_failing: bool = False

    @property
    def words(self) -> list[str]:
        """The words of the command, which no shell sees."""
        return shlex.split(self.command)

    @classmethod
    def of(cls, path: str, value: object) -> Self:
        """Reads `prove:`: a command, or a mapping with `command`; raises `RequestError`."""
        document = {"command": value} if isinstance(value, str) else value
        step = cls(**_fields(path, "prove", cls, document, {"command": ""}))
        try:
            words = step.words
        except ValueError as error:
            raise _bad(path, "prove", f"{error}") from error
        if not words:
            raise _bad(path, "prove", "it names no command")
        if step.baseline_runs < 1 or step.runs < 1 or step.minutes <= 0:
            raise _bad(path, "prove", "its runs and minutes are at least 1, and more than 0")
        return step

    def to_json(self) -> dict[str, Any]:
        """Plain data, as a task carries it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LandStep:
    """How each plan becomes commits; the words mean what they mean to `astedit land`."""

    by: GroupedBy = "shape"
    message: str = ""
    branch: str = ""

    @classmethod
    def of(cls, path: str, value: object) -> Self | None:
        """Reads `land:`: true or false, or a mapping; raises `RequestError`."""
        if isinstance(value, bool):
            return cls() if value else None
        step = cls(**_fields(path, "land", cls, value, {}))
        if step.by not in GROUPINGS:
            raise _bad(path, "land", f"`by` is none of {', '.join(GROUPINGS)}")
        return step


def _fields(
    path: str, name: str, kind: type, document: object, needed: dict[str, Any]
) -> dict[str, Any]:
    """The values of a mapping by the names of the fields; each of the type that it declares."""
    known = {camel(field.name): field for field in fields(kind)}
    if not isinstance(document, dict) or not document.keys() >= needed.keys():
        raise _bad(path, name, "it is not what this page says: docs/campaigns.md")
    values = {}
    for key, value in document.items():
        if key not in known:
            raise _bad(path, name, f"it has no {key!r}; it has {', '.join(known)}")
        types = _TYPES[str(known[key].type)]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise _bad(path, name, f"`{key}` is not what it should be: {value!r}")
        values[known[key].name] = value
    return values


_TYPES: dict[str, tuple[type, ...]] = {
    str(str): (str,), str(int): (int,), str(float): (int, float), str(bool): (bool,),
    str(GroupedBy): (str,), str(str | None): (str,), str(float | None): (int, float),
}  # fmt: skip


def _bad(path: str, name: str, why: str) -> RequestError:
    return RequestError(
        f"{path} has a `{name}` that cannot be read: {why}.", path=path, code="bad_campaign"
    )
