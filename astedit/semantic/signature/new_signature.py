"""The parameters of a definition, and what a request makes of them."""

import ast
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.python.syntax import ParameterKind, child_of, parameters, parsed, parts_of, text_of
from astedit.semantic.rename.rename import check_name


class WrittenParameter(NamedTuple):
    """One parameter; `node` is all of it, `label` its name alone.

    Of one that will be, `old` is the name that it had, if it was there before.
    """

    name: str
    kind: ParameterKind
    has_default: bool
    node: Node
    label: Node
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """All parameters of one definition, and the markers between them."""

    node: Node  # with its brackets
    parameters: Sequence[WrittenParameter]
    slash: Node | None
    star: Node | None

    @property
    def shape(self) -> list[tuple[str, ParameterKind]]:
        """What calls depend on, the defaults aside."""
        return [(parameter.name, parameter.kind) for parameter in self.parameters]

    @property
    def items(self) -> list[Node]:
        """What stands between the commas."""
        return parts_of(self.node)


def parameters_of(definition: Node) -> Parameters:
    """The parameters of a `def`."""
    node = child_of(definition, "parameters")
    marks = {item.type: item for item in parts_of(node) if item.type.endswith("_separator")}
    slash, star = marks.get("positional_separator"), marks.get("keyword_separator")
    written = [
        WrittenParameter(text_of(name), kind, default is not None, whole, name)
        for name, _, default, _, whole, kind in parameters(node)
    ]
    return Parameters(node, written, slash, star)


@dataclass(frozen=True, slots=True)
class SignatureRequest:
    """What is asked for; names are the old ones, but for `reorder` and `keyword_only`."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    reorder: tuple[str, ...] = ()
    keyword_only: tuple[str, ...] = ()
    for_callers: str | None = None

    @property
    def arguments(self) -> dict[str, str]:
        """As texts that an operation keeps."""
        every = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in every
            if value not in ((), None)
        }

    @classmethod
    def of(cls, arguments: Mapping[str, str]) -> "SignatureRequest":
        """The request that an operation keeps."""
        keys = ("add", "remove", "reorder", "keyword_only")
        lists = {key: tuple(json.loads(arguments.get(key, "[]"))) for key in keys}
        pairs = tuple((old, new) for old, new in json.loads(arguments.get("rename", "[]")))
        return cls(**lists, rename=pairs, for_callers=arguments.get("for_callers"))

    @property
    def touched(self) -> list[str]:
        """The parameters that go or get another name."""
        return [*self.remove, *(name for name, _ in self.rename)]

    def check(self, path: str) -> None:
        """Raises `RequestError` for what is wrong whatever the definition is."""
        for old, new in self.rename:
            check_name(old, new, path)
        added = (added_parameter(text) for text in self.add)
        self.check_added({item.name: item.has_default for item in added})
        if self.for_callers is not None:
            _check_expression(self.for_callers)

    def check_added(self, added: Mapping[str, bool]) -> None:
        """The same of any language; `added` says of each new parameter if it has a default."""
        if not (self.add or self.remove or self.rename or self.reorder or self.keyword_only):
            raise bad("nothing is to change", "See `astedit signature --help`.")
        bare = next((name for name, has_default in added.items() if not has_default), None)
        if bare is not None and self.for_callers is None:
            raise bad(f"{bare!r} has no default", "`--default-for-callers` is what calls pass.")
        if self.for_callers is not None and not self.add:
            raise bad("`--default-for-callers` goes with `--add`")

    def check_names(
        self, names: Sequence[str], fixed: Container[str], added: Iterable[str]
    ) -> None:
        """Raises `RequestError` unless these parameters, some of them `fixed`, can change so."""
        touched = self.touched
        for name in touched:
            if name not in names:
                raise bad(f"there is no parameter {name!r}", f"There are: {', '.join(names)}.")
            if name in fixed:
                raise bad(f"{name!r} is neither renamed nor removed here")
        if len({*touched}) < len(touched):
            raise bad("a parameter is named twice")
        after = [*added, *(new for _, new in self.rename)]
        after += [name for name in names if name not in touched]
        if twice := [name for name in after if after.count(name) > 1]:
            raise bad(f"there would be two parameters {twice[0]!r}")
        if {*after} & {*touched}:
            raise bad("a new name is that of another parameter which goes in the same change")


def bad(why: str, hint: str | None = None) -> RequestError:
    """The error about a signature that cannot be."""
    return RequestError(f"The signature cannot be made: {why}.", code="bad_signature", hint=hint)


def renames(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The old and the new name in each `old=new`."""
    pairs = []
    for text in texts:
        old, sign, new = (part.strip() for part in text.partition("="))
        if not (old and sign and new):
            raise bad(f"{text!r} is no OLD=NEW")
        pairs.append((old, new))
    return tuple(pairs)


def _check_expression(text: str) -> None:
    try:
        tree = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise bad(f"{text!r} is no expression") from error
    assert isinstance(tree, ast.Call)
    if (
        len(tree.args) != 1
        or tree.keywords
        or isinstance(tree.args[0], ast.Starred | ast.NamedExpr | ast.GeneratorExp)
    ):
        raise bad(f"{text!r} is no argument by itself")
    if "\n" in text or "#" in text:
        raise bad("an argument for callers is one line without a comment")


def added_parameter(text: str) -> WrittenParameter:
    """The parameter that a text is; raises `RequestError` unless it is exactly one."""
    try:
        code = f"def f({text}): ...\n".encode()
        (definition,) = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise bad(f"{text!r} is no parameter", "Like 'timeout: float = 30'.") from error
    assert isinstance(definition, ast.FunctionDef)
    arguments = definition.args
    root = parsed(code)
    if len(arguments.args) != 1 or arguments.posonlyargs or arguments.kwonlyargs or "\n" in text:
        raise bad(f"{text!r} is not one plain parameter", "Like 'timeout: float = 30'.")
    (parameter,) = parameters_of(root.named_children[0]).parameters
    return parameter


_RANKS = {"positional-only": 0, "plain": 1, "varargs": 2, "keyword-only": 3, "kwargs": 4}


class NewSignature(list[WrittenParameter]):
    """The parameters that there will be, in order."""

    @property
    def positional(self) -> list[WrittenParameter]:
        """What positional arguments fill, in order."""
        return [item for item in self if item.kind in ("positional-only", "plain")]

    @property
    def added(self) -> list[str]:
        """The names of those that were not there before."""
        return [item.name for item in self if item.old is None]

    def named(self, name: str) -> WrittenParameter | None:
        """The parameter of this name."""
        return next((item for item in self if item.name == name), None)

    def new_name(self, old: str) -> str | None:
        """What an old parameter is called; None if it is gone."""
        return next((item.name for item in self if item.old == old), None)

    def place(self, new: WrittenParameter) -> None:
        """Puts a parameter behind the last of its kind, or where that would be."""
        self[:] = [item for item in self if item.name != new.name]
        self.insert(sum(_RANKS[item.kind] <= _RANKS[new.kind] for item in self), new)


def new_signature(old: Parameters, request: SignatureRequest, receiver: str | None) -> NewSignature:
    """What becomes of a signature; raises `RequestError` where that cannot be.

    `receiver` is the name of `self` or `cls`, which stays where it is.
    """
    starred = [item.name for item in old.parameters if item.kind in ("varargs", "kwargs")]
    names = [item.name for item in old.parameters]
    added = [added_parameter(text) for text in request.add]
    request.check_names(names, {receiver or "", *starred}, (item.name for item in added))
    renames = dict(request.rename)
    signature = NewSignature(
        item._replace(name=renames.get(item.name, item.name), old=item.name)
        for item in old.parameters
        if item.name not in request.remove
    )
    for item in added:
        # at the end of what positions fill, if no call is disturbed there
        fits = item.has_default or not any(other.has_default for other in signature.positional)
        plain = fits and all(other.kind != "varargs" for other in signature)
        kind: ParameterKind = "plain" if plain else "keyword-only"
        signature.place(item._replace(kind=kind))
    for name in request.keyword_only:
        if (parameter := signature.named(name)) is None:
            listing = ", ".join(item.name for item in signature)
            raise bad(f"there is no parameter {name!r}", f"There are: {listing}.")
        if name == receiver or parameter.kind in ("varargs", "kwargs"):
            raise bad(f"{name!r} cannot be passed by keyword only")
        signature.place(parameter._replace(kind="keyword-only"))
    if request.reorder:
        _reorder(signature, request.reorder, receiver)
    return signature


def _reorder(signature: NewSignature, names: Sequence[str], receiver: str | None) -> None:
    places = {item.name: item for item in signature.positional}
    if sorted(names) != sorted(places):
        raise bad(
            f"the new order must name each of {', '.join(places)} once",
            "What is passed by keyword only has no order.",
        )
    if receiver is not None and names[0] != receiver:
        raise bad(f"{receiver!r} comes first")
    kinds = [places[name].kind for name in names]
    if kinds != sorted(kinds, key=lambda kind: kind == "plain"):
        raise bad("a parameter that is passed by position only would stand behind another")
    rest = [item for item in signature if item.name not in places]
    signature[:] = [*(places[name] for name in names), *rest]
