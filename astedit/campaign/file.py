"""A campaign file: which repositories, and the request that each of them gets.

It is what `edit --ops` reads, as YAML or TOML, and `repositories` beside it.
"""

import glob
import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self

from astedit.errors import RequestError
from astedit.json_model import FLAG, TEXT, Schema, checked, object_of, snake
from astedit.landing.groups import GROUPINGS
from astedit.model.request import EditRequest
from astedit.workspace.confined_open import FILE, read_regular
from astedit.workspace.root import CONFIG_LIMIT, parse


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
        step = cls(**_fields(path, "prove", document, _PROVE))
        try:
            words = step.words
        except ValueError as error:
            raise _bad_step(path, "prove", f"{error}") from error
        if not words:
            raise _bad_step(path, "prove", "it names no command")
        return step


@dataclass(frozen=True, slots=True)
class LandStep:
    """How each plan becomes commits; the words mean what they mean to `astedit land`."""

    by: str = ""
    message: str = ""
    branch: str = ""

    @classmethod
    def of(cls, path: str, value: object) -> Self | None:
        """Reads `land:`: true or false, or a mapping; raises `RequestError`."""
        if isinstance(value, bool):
            return cls() if value else None
        return cls(**_fields(path, "land", value, _LAND))


_RUNS: Schema = {"type": "integer", "minimum": 1}
_DURATION: Schema = {"type": "number", "exclusiveMinimum": 0}
_PROVE = object_of(
    {
        **dict.fromkeys(("command", "junit", "failRegex"), TEXT),
        **dict.fromkeys(("baselineRuns", "runs"), _RUNS),
        **dict.fromkeys(("minutes", "runTimeout"), _DURATION),
        "expectFailing": FLAG,
    },
    "command",
)
_LAND = object_of({"by": TEXT | {"enum": GROUPINGS}, "message": TEXT, "branch": TEXT})


def _fields(path: str, name: str, document: object, schema: Schema) -> dict[str, Any]:
    """The values of a mapping by the names of the fields, each as the schema says."""
    values = checked(document, schema, partial(_bad_step, path, name), name)
    return {snake(key): value for key, value in values.items()}


def _bad_step(path: str, name: str, why: str, hint: str | None = None) -> RequestError:
    return _bad(path, f"has a `{name}` that cannot be read: {why}", hint)


MAX_REPOSITORIES = 10_000
MAX_PATTERNS = 1_000
TIMEOUT = 600.0  # seconds for the plan of one repository
_OF_FILE = ("repositories", "name", "prove", "land")


@dataclass(slots=True)
class Campaign:
    """A request for many roots (real paths, sorted, each once).

    `key` names the file, `digest` what it asks for: a repository that was planned for
    another digest is planned again.
    """

    file: str
    name: str
    roots: list[str]
    request: EditRequest
    expect: dict[str, int] = field(default_factory=dict)
    timeout: float = TIMEOUT
    prove: ProveStep | None = None
    land: LandStep | None = None

    @property
    def key(self) -> str:
        """16 hex digits that name the file, whatever it says."""
        return hashlib.sha256(os.fsencode(self.file)).hexdigest()[:16]

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of what each repository is asked for."""
        parts: list[Any] = [asdict(self.request), self.expect]
        parts += [] if self.prove is None else [asdict(self.prove)]
        text = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


class CampaignFile(NamedTuple):
    """What a file says: name, roots, a request as JSON has it, and the steps beside it."""

    name: str
    roots: list[str]
    request: dict[str, Any]
    prove: ProveStep | None
    land: LandStep | None


def read(path: str, base: str | None = None) -> CampaignFile:
    """Reads a campaign file.

    Relative repositories lie below `base`, else below the file's own directory.

    Raises `RequestError` for a file that is no campaign, and for a name in it that leads
    to no directory.
    """
    document = _document(path)
    if "repositories" not in document:
        raise _bad(path, "has no `repositories`", "It lists directories and globs.")
    if not document.get("ops") and not document.get("rules"):
        raise _bad(path, "has no `ops`", "They say what becomes what: a list of {pat, out}.")
    if "after" in document:
        raise _bad(path, "has `after`, which names a plan of one repository")
    name = document.get("name", os.path.splitext(os.path.basename(path))[0])
    if not isinstance(name, str) or not name.isprintable():
        raise _bad(path, "has a `name` that is not a line of text")
    home = os.path.realpath(base or os.path.dirname(os.path.realpath(path)))
    roots = _roots(path, home, document["repositories"])
    request = {"ops": []} | {k: v for k, v in document.items() if k not in _OF_FILE}
    if "rules" in request:
        request["rules"] = list(_rules(path, request["rules"]))
    prove = ProveStep.of(path, document["prove"]) if "prove" in document else None
    land = LandStep.of(path, document["land"]) if "land" in document else None
    return CampaignFile(name, roots, request, prove, land)


def _document(path: str) -> dict[str, Any]:
    data = _bytes(path)
    suffix = os.path.splitext(path)[1]
    if suffix == ".toml":
        return parse(data, path)
    if suffix not in (".yml", ".yaml", ".json"):
        raise _bad(path, "is not a campaign file by its name", "Name it .yml, .yaml or .toml.")
    from astedit.rule.yaml import read_yaml

    documents = read_yaml(data, path)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise _bad(path, "is not one document with `repositories` and `ops`")
    return documents[0]


def _bytes(path: str) -> bytes:
    try:
        return read_regular(path, CONFIG_LIMIT, flags=FILE & ~os.O_NOFOLLOW)[0]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RequestError(f"{path!r} cannot be read: {reason}.", path=path) from error


def _rules(path: str, rules: object) -> Iterator[Any]:
    """The rules themselves; a text names a rule file, from the campaign file's directory."""
    if not isinstance(rules, list):
        raise _bad(path, "has `rules` that are not a list of rules and rule files")
    from astedit.rule.yaml import read_yaml

    for rule in rules:
        if isinstance(rule, str):
            file = os.path.join(os.path.dirname(path), rule)
            yield from (rule for rule in read_yaml(_bytes(file), file) if rule is not None)
        else:
            yield rule


def _roots(path: str, home: str, patterns: object) -> list[str]:
    """The directories that are named, less those that a `!` names."""
    texts = isinstance(patterns, list) and all(isinstance(pattern, str) for pattern in patterns)
    if not isinstance(patterns, list) or not texts or not 0 < len(patterns) <= MAX_PATTERNS:
        raise _bad(path, "has `repositories` that are not a list of directories")
    roots: set[str] = set()
    for pattern in patterns:
        named = set(_directories(path, home, pattern.removeprefix("!")))
        if pattern.startswith("!"):
            roots -= named
            continue
        if not named:
            raise _bad(path, f"names {pattern!r}, which is not a directory")
        roots |= named
        if len(roots) > MAX_REPOSITORIES:
            raise _bad(path, f"names more than {MAX_REPOSITORIES:,} repositories")
    if not roots:
        raise _bad(path, "leaves no repository")
    return sorted(roots)


def _directories(path: str, home: str, pattern: str) -> Iterator[str]:
    """The real paths of the directories that a pattern names, from `home`."""
    if not pattern or "\0" in pattern or "**" in pattern:
        raise _bad(path, f"has the pattern {pattern!r}", "`*`, `?` and `[…]` match one component.")
    for match in glob.iglob(os.path.join(glob.escape(home), os.path.expanduser(pattern))):
        if os.path.isdir(match):
            yield os.path.realpath(match)


def _bad(path: str, why: str, hint: str | None = None) -> RequestError:
    return RequestError(f"{path} {why}.", path=path, code="bad_campaign", hint=hint)
