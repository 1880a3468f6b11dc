"""A campaign file: which repositories, and the request that each of them gets.

It is what `edit --ops` reads, as YAML or TOML, and `repositories` beside it.
"""

import glob
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from astedit.campaign.steps import LandStep, ProveStep
from astedit.errors import RequestError
from astedit.model.request import EditRequest
from astedit.workspace.confined_open import FILE, read_regular
from astedit.workspace.root import SIZE, parse

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
        asked: list[Any] = [asdict(self.request), self.expect]
        text = json.dumps(asked if self.prove is None else [*asked, self.prove.to_json()],
                          sort_keys=True)  # fmt: skip
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
    name = document.get("name", os.path.splitext(os.path.basename(path))[0])
    if not isinstance(name, str) or not name.isprintable():
        raise _bad(path, "has a `name` that is not a line of text")
    home = os.path.realpath(base or os.path.dirname(os.path.realpath(path)))
    roots = _roots(path, home, document["repositories"])
    wanted = {"ops": []} | {k: v for k, v in document.items() if k not in _OF_FILE}
    if "rules" in wanted:
        wanted["rules"] = list(_rules(path, wanted["rules"]))
    prove = ProveStep.of(path, document["prove"]) if "prove" in document else None
    land = LandStep.of(path, document["land"]) if "land" in document else None
    return CampaignFile(name, roots, wanted, prove, land)


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
        return read_regular(path, SIZE, flags=FILE & ~os.O_NOFOLLOW)[0]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RequestError(f"{path!r} cannot be read: {reason}.", path=path) from error


def _rules(path: str, rules: object) -> Iterator[Any]:
    """The rules themselves; a text names a rule file, from the campaign file's directory."""
    if not isinstance(rules, list):
        raise _bad(path, "has `rules` that are not a list of rules and rule files")
    from astedit.rule.yaml import read_yaml

    for one in rules:
        if isinstance(one, str):
            file = os.path.join(os.path.dirname(path), one)
            yield from (rule for rule in read_yaml(_bytes(file), file) if rule is not None)
        else:
            yield one


def _roots(path: str, home: str, patterns: object) -> list[str]:
    """The directories that are named, less those that a `!` names."""
    texts = isinstance(patterns, list) and all(isinstance(one, str) for one in patterns)
    if not isinstance(patterns, list) or not texts or not 0 < len(patterns) <= MAX_PATTERNS:
        raise _bad(path, "has `repositories` that are not a list of directories")
    roots: set[str] = set()
    for pattern in patterns:
        named = set(_named(path, home, pattern.removeprefix("!")))
        if pattern.startswith("!"):
            roots -= named
            continue
        if not named:
            raise _bad(path, f"names {pattern!r}, which is no directory")
        roots |= named
        if len(roots) > MAX_REPOSITORIES:
            raise _bad(path, f"names more than {MAX_REPOSITORIES:,} repositories")
    if not roots:
        raise _bad(path, "leaves no repository")
    return sorted(roots)


def _named(path: str, home: str, pattern: str) -> Iterator[str]:
    """The real paths of the directories that a pattern names, from `home`."""
    if not pattern or "\0" in pattern or "**" in pattern:
        raise _bad(path, f"has the pattern {pattern!r}", "`*`, `?` and `[…]` match one component.")
    for match in glob.iglob(os.path.join(glob.escape(home), os.path.expanduser(pattern))):
        if os.path.isdir(match):
            yield os.path.realpath(match)


def _bad(path: str, why: str, hint: str | None = None) -> RequestError:
    return RequestError(f"{path} {why}.", path=path, code="bad_campaign", hint=hint)
