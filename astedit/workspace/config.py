"""What files and the environment say, each value with where it came from.

Repository (`astedit.toml`, `[tool.astedit]` of `pyproject.toml`; may only tighten), then
the user's `config.toml` (may relax), then the environment. Flags are for the surfaces.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from astedit.errors import AstEditError, OutsideRootError, RequestError
from astedit.workspace.confined_open import FILE, read_regular
from astedit.workspace.root import CONFIG_LIMIT, Workspace, parse, user_directory

ApprovalPolicy = Literal["agent", "human"]
POLICIES = ("agent", "human")
ValueTest = Callable[[object], bool]

# Every key, what it must be, and whether a repository may set it. The documentation's
# table is this one.
KEYS: dict[str, tuple[str, bool]] = {
    "policy": ("policy", True),
    "human_paths": ("list", True),
    "ignore": ("list", True),
    "roots": ("paths", True),
    "packs": ("packs", True),
    "state_dir": ("directory", False),
    "actor": ("text", False),
    "jobs": ("count", False),
    "codemods": ("classes", False),
    "require_proof": ("commands", False),
    "servers": ("servers", False),
    "ask": ("flag", True),
}
VARIABLES = {
    "ASTEDIT_POLICY": "policy",
    "ASTEDIT_STATE_DIR": "state_dir",
    "ASTEDIT_ACTOR": "actor",
    "ASTEDIT_JOBS": "jobs",
}
_ADDED = ("human_paths", "ignore", "roots", "packs")  # every source adds to these


@dataclass(slots=True)
class Config:
    """The settings of one workspace.

    `origins` says for each key that was set which file or variable did it. `warnings` are
    lines for people: what a repository tried to set and may not. `root` is the workspace's.
    """

    policy: ApprovalPolicy = "agent"
    human_paths: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    packs: tuple[Any, ...] = ()
    state_dir: str | None = None
    actor: str | None = None
    jobs: int | None = None
    codemods: dict[str, str] = field(default_factory=dict)
    require_proof: tuple[str, ...] = ()
    servers: dict[str, str] = field(default_factory=dict)
    ask: bool = True
    root: str = field(default="", compare=False)
    origins: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def _set(self, key: str, value: object, origin: str) -> None:
        if key in _ADDED:
            value = cast("tuple[str, ...]", getattr(self, key)) + cast("tuple[str, ...]", value)
        setattr(self, key, value)
        self.origins[key] = origin


def load(workspace: Workspace) -> Config:
    """Reads it all; raises `RequestError` (`bad_config`) naming file and key.

    Costs three failing opens where there is no configuration.
    """
    config = Config(root=workspace.root)
    for table, origin in _repository(workspace):
        for key, value in table.items():
            _from_repository(config, workspace, key, value, origin)
    file = user_file()
    for key, value in _user(file).items():
        if key not in KEYS:
            raise _bad(file, key, f"is unknown; known: {', '.join(KEYS)}")
        config._set(key, _checked(workspace, key, value, file), file)
    for variable, key in VARIABLES.items():
        if os.environ.get(variable):
            config._set(key, _checked(workspace, key, os.environ[variable], variable), variable)
    return config


def settings_of(workspace: Workspace, config: Config | None) -> Config:
    """The configuration that was read already, if it is of this workspace; else reads it."""
    return config if config is not None and config.root == workspace.root else load(workspace)


def user_file() -> str:
    """Where the user's configuration is, whether it exists or not."""
    base = user_directory("XDG_CONFIG_HOME", ".config")
    return os.path.join(base, "astedit", "config.toml")


def _from_repository(
    config: Config, workspace: Workspace, key: str, value: object, origin: str
) -> None:
    """A repository may ask for more care, never for less."""
    if key not in KEYS or not KEYS[key][1]:
        config.warnings.append(f"{origin}: {key} is not for a repository to set; ignored.")
        return
    checked = _checked(workspace, key, value, origin)
    if checked != "agent":
        config._set(key, checked, origin)


def _repository(workspace: Workspace) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables a repository brings, with the names of their files."""
    data = _within(workspace, "pyproject.toml")
    if data is not None:
        yield table_of(data, "pyproject.toml"), "pyproject.toml"
    data = _within(workspace, "astedit.toml")
    if data is not None:
        yield parse(data, "astedit.toml"), "astedit.toml"


def table_of(data: bytes, name: str) -> dict[str, Any]:
    """Returns `[tool.astedit]` of a pyproject.toml, parsed only where that can be in it."""
    if b"astedit" not in data:
        return {}
    tool = parse(data, name).get("tool")
    table = tool.get("astedit", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise _bad(name, "tool.astedit", "is not a table")
    return table


def _within(workspace: Workspace, name: str) -> bytes | None:
    """A file of the root, perhaps through a link that stays inside; None if there is none."""
    try:
        data, _ = workspace.read(workspace.resolve(name), CONFIG_LIMIT)
    except FileNotFoundError:
        return None
    except (OSError, OutsideRootError) as error:
        raise _unreadable(name, error) from error
    return data


def _user(file: str) -> dict[str, Any]:
    try:
        data, _ = read_regular(file, CONFIG_LIMIT, flags=FILE & ~os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _unreadable(file, error) from error
    return parse(data, file)


def _checked(workspace: Workspace, key: str, value: object, origin: str) -> object:
    """`value` as it is kept, if it is what `key` must be."""
    kind = KEYS[key][0]
    if kind == "directory" and isinstance(value, str):
        value = os.path.expanduser(value)
    if kind == "count" and isinstance(value, str) and origin in VARIABLES:
        value = int(value) if value.isdecimal() and len(value) < 10 else value
    must_be, fits = _KINDS[kind]
    relative = kind == "directory" and origin not in VARIABLES and not os.path.isabs(str(value))
    if relative or not fits(value):
        raise _bad(origin, key, f"must be {must_be}")
    if kind == "paths":
        try:
            return tuple(map(workspace.check, cast(list[str], value)))
        except AstEditError as error:
            raise _bad(origin, key, f"must be {must_be}: {error.message}") from error
    if kind == "list":  # a glob that protects or hides nothing is a mistake nobody would notice
        from astedit.workspace.gitignore import matches_nothing

        for glob in filter(matches_nothing, cast(list[str], value)):
            raise _bad(origin, key, f"holds {glob!r}, which can match no file")
    return tuple(value) if isinstance(value, list) else value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isprintable()


def _is_command(value: object) -> bool:
    import shlex

    try:
        return _is_text(value) and bool(shlex.split(cast(str, value)))
    except ValueError:  # a quotation that does not end
        return False


def _is_class(value: object) -> bool:
    module, _, name = str(value).partition(":")
    return all(part.isidentifier() for part in (*module.split("."), name))


def _listing(fits: ValueTest) -> ValueTest:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _naming(fits: ValueTest) -> ValueTest:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


# By the kind of a key: what a message says that it must be, and whether a value is that.
_KINDS: dict[str, tuple[str, ValueTest]] = {
    "policy": ("'agent' or 'human'", lambda value: value in POLICIES),
    "list": ("a list of texts", _listing(_is_text)),
    "paths": ("a list of paths below the root", _listing(_is_text)),
    "packs": ("a list of packs", lambda value: isinstance(value, list)),
    "directory": ("the absolute path of a directory", _is_text),
    "text": ("a text", _is_text),
    "count": ("a number from 1 up", lambda value: type(value) is int and value > 0),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "classes": ('a table of names, each with its "module:Class"', _naming(_is_class)),
    "commands": ("a list of commands", _listing(_is_command)),
    "servers": ("a table of languages, each with the command of its server", _naming(_is_command)),
}


def _bad(origin: str, key: str, why: str) -> RequestError:
    return RequestError(f"{origin}: {key} {why}.", path=origin, code="bad_config")


def _unreadable(file: str, error: Exception) -> RequestError:
    reason = error.strerror if isinstance(error, OSError) else error
    return RequestError(f"{file} cannot be read: {reason}.", path=file, code="bad_config")
