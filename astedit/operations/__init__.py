"""Operations: changes that are planned from a name or a path, and planned again to apply them.

Each module of this package is one operation, named like its kind, and holds its descriptor as
`OPERATION`. From that follow the command, the function of the Python interface and the method
of `Work`, the agents' tool with its schema, and the row of the reference. What is stored of a
plan names a kind, never a module, and the package is the closed list of kinds.
"""

import hashlib
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args, get_origin

from astedit.engine.run_context import Run
from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.language import for_path
from astedit.limits import MAX_FILE_SIZE
from astedit.model.edit import ListedPlace
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from astedit.locating.answer import LocatedDefinition
    from astedit.locating.inventory.inventory import Inventory

SCRIPTS = ("javascript", "typescript", "tsx")
_SCRIPTED = ("rename", "move", "move_module", "remove", "signature")  # a module each for scripts
_LONGEST = 200  # characters of a line that is listed
# Those who plan out of something else than parameters; each has a command of its own.
PRODUCERS = {
    "patch": "astedit.producers.patch",
    "capture": "astedit.producers.capture",
    "lsp": "astedit.producers.lsp_question",
    "draft": "astedit.draft.plan",
    "recipe": "astedit.producers.recipe",
}


@dataclass(frozen=True, slots=True)
class Lookup:
    """Where the names are looked up that an operation is given.

    `state` is the directory in which `locate` keeps what it parsed, if it may; `config` is the
    configuration, if it was read already.
    """

    workspace: Workspace
    state: str | None = None
    config: Config | None = None

    @property
    def inventory(self) -> "Inventory":
        """The tree as `locate` sees it."""
        from astedit.locating.inventory.inventory import Inventory

        return Inventory(self.workspace, state=self.state, config=self.config)

    def definition(self, identifier: str) -> "LocatedDefinition":
        """The one symbol, or the parameter of one, that this names.

        Raises `NotLocated` unless it names one, and `RequestError` for a malformed one.
        """
        from astedit.locating.answer import find_definition

        return find_definition(self.inventory, identifier)

    def read(self, path: str) -> tuple[bytes, str]:
        """The bytes of a file, and their hash; raises `PreconditionError` if there are none."""
        try:
            raw, _ = self.workspace.read(path, MAX_FILE_SIZE)
        except OSError as error:
            message = f"{path} cannot be read ({error.strerror})."
            raise PreconditionError(message, path=path, code="not_found") from error
        return raw, hashlib.sha256(raw).hexdigest()


def flags_of(values: Any) -> dict[str, str]:
    """What an operation keeps of the flags that are set, and of `--also`: `*` for all uses."""
    flags = {name: "yes" for name in values.__slots__ if getattr(values, name) is True}
    also = "\n".join(getattr(values, "also", ()))
    if flags.pop("also_all", None):
        if also:
            raise RequestError("--also and --also-all cannot be used together.", code="usage")
        also = "*"
    return flags | ({"also": also} if also else {})


def is_source(identifier: str) -> bool:
    """Whether an argument is a path from the working directory, and no name."""
    return "::" not in identifier and os.path.lexists(identifier)


def is_module(name: str, workspace: Workspace) -> bool:
    """Whether this is a path of the workspace at which a file or a directory lies."""
    if "::" in name or not name:
        return False
    try:
        return os.path.lexists(os.path.join(workspace.root, workspace.check(name)))
    except AstEditError:
        return False


@dataclass(frozen=True, slots=True)
class Face:
    """What the surfaces show of a parameter, beside its name, type and default.

    `text` is a sentence about an option, and the end of `IDENT is …` for what has a position.
    `path` says of a text on the command line whether it is a path, from the working directory;
    `bool` does where it always is.
    `tool` is the name that agents know it by; without one they cannot give it.
    """

    text: str = ""
    metavar: str | None = None
    tool: str | None = None
    path: Callable[[str], bool] | None = None


ALSO = Face("Change this listed use, too.", "FILE:LINE[:COL]", "also", lambda _: True)
ALSO_ALL = Face("Change all listed uses.", tool="also_all")


@dataclass(frozen=True, slots=True)
class Input:
    """One parameter, as its dataclass declares it."""

    name: str
    kind: Any
    face: Face
    default: Any
    is_option: bool

    @classmethod
    def of(cls, declared: Field[Any]) -> "Input":
        """The parameter of a field, whose type is annotated with its face."""
        kind, shown = get_args(declared.type)
        default = declared.default
        if declared.default_factory is not MISSING:
            default = declared.default_factory()
        return cls(declared.name, kind, shown, default, bool(declared.kw_only))

    @property
    def is_list(self) -> bool:
        """Whether it takes any number of texts."""
        return get_origin(self.kind) is Sequence

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One operation: all that a surface needs to know of it.

    `parameters` is a dataclass: the first line of its docstring says what the operation does,
    the paragraphs below how, and the last one what it raises. Each field is annotated with its
    `Face`; those that are `KW_ONLY` are options. `locate` turns parameters into a request that
    is complete enough to be run again in another process. `planner` is the module whose `plan`
    computes the plan from that alone, so that the same tree gives the same plan; a file that it
    names by its hash is checked before. `example` is a command line, without `astedit`.
    """

    kind: str
    parameters: type[Any]
    locate: Callable[[Any, Lookup], EditRequest]
    planner: str
    example: str

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The parameters, in their order."""
        return tuple(map(Input.of, fields(self.parameters)))

    @property
    def summary(self) -> str:
        """`Move definitions to another module.`"""
        return self._texts[0]

    @property
    def details(self) -> list[str]:
        """How it does that, in paragraphs."""
        return self._texts[1:-1]

    @property
    def raises(self) -> str:
        """What it raises."""
        return self._texts[-1]

    @property
    def _texts(self) -> list[str]:
        paragraphs = (self.parameters.__doc__ or "").split("\n\n")  # there is none under -OO
        return [" ".join(paragraph.split()) for paragraph in paragraphs]


@cache
def kinds() -> tuple[str, ...]:
    """The operations of this package, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def operation(kind: str) -> Descriptor:
    """The operation of a kind, which must be one of `kinds`."""
    assert kind in kinds()
    descriptor: Descriptor = import_module(f"{__name__}.{kind}").OPERATION
    return descriptor


def is_known(kind: str) -> bool:
    """Whether a stored operation of this kind can be planned again here."""
    return kind in PRODUCERS or kind in kinds()


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a request that has an operation.

    Raises what the operation raises, and `PreconditionError` (`unknown_operation`) for a kind
    that there is not, as in a plan of another version.
    """
    assert request.operation is not None
    kind = request.operation.kind
    if not is_known(kind):
        hint = f"There are: {', '.join((*kinds(), *PRODUCERS))}."
        raise PreconditionError(
            f"There is no operation {kind!r}.", hint=hint, code="unknown_operation"
        )
    result: Plan
    if kind in PRODUCERS:
        result = import_module(PRODUCERS[kind]).plan(request, workspace, run)
    else:
        from astedit.semantic.library import NameRequest

        asked = NameRequest(request, workspace, run)
        if "hash" in asked.arguments:
            asked.check_fresh()
        result = import_module(_planner(kind, asked.arguments, workspace)).plan(asked)
    result.listed = [*_listed(result.hints, workspace)]
    if run.state is not None:
        from astedit.facts.store import store_in

        trouble = store_in(run.state).trouble()
        result.hints += [trouble] if trouble else []
    return result


def _planner(kind: str, arguments: Mapping[str, str], workspace: Workspace) -> str:
    """The module that plans an operation of this kind with these arguments."""
    if kind == "remove" and "path" not in arguments:  # a module goes
        return operation("move_module").planner
    is_script = kind in _SCRIPTED and _is_script(arguments, workspace)
    return f"astedit.semantic.script.{kind}" if is_script else operation(kind).planner


def _is_script(arguments: Mapping[str, str], workspace: Workspace) -> bool:
    """Whether what an operation is about is a script, or a directory of no Python package."""
    path = arguments.get("path") or arguments["id"]
    if (row := for_path(path)) is not None:
        return row.name in SCRIPTS
    return not os.path.lexists(os.path.join(workspace.root, path, "__init__.py"))


def _listed(hints: Sequence[str], workspace: Workspace) -> Iterator[ListedPlace]:
    """The uses that a plan leaves, each with its line of code."""
    lines: dict[str, list[str]] = {}
    for place in (getattr(hint, "place", None) for hint in hints):
        if place is None:
            continue
        if place.path not in lines:
            try:
                content, _ = workspace.read(place.path, MAX_FILE_SIZE)
            except OSError:
                content = b""
            lines[place.path] = [line.decode("utf-8", "replace") for line in content.splitlines()]
        rows = lines[place.path]
        line = rows[place.line - 1] if place.line <= len(rows) else ""
        first = len(line) - len(line.lstrip()) + 1
        yield ListedPlace(place.path, place.line, place.column or first, line.strip()[:_LONGEST])


def title(stored: Operation) -> str:
    """`rename: sym:app/main.py::OrderService.create -> place`, for labels."""
    arguments = stored.arguments
    names = [arguments[key] for key in ("id", "new", "label") if key in arguments]
    return f"{stored.kind}: {' -> '.join(names)}" if names else stored.kind
