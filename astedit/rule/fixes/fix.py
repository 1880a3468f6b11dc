"""What a rule writes: templates, what they take along, and edits apart. (rules F1, F4, F6, F11)"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.pattern.match import Found
from astedit.pattern.template import Metavariable, Slot, Template, parse_template
from astedit.rule.compile import compile_rule, compile_stop
from astedit.rule.environment import Bindings, Environment
from astedit.rule.failure import captured
from astedit.rule.fixes.transform import read_source
from astedit.rule.match.node import Captures, Rule
from astedit.rule.match.relational import Follows, Precedes, Relation
from astedit.rule.scope import ImportChanges, Names, Scope

POSITIONS = ("replace", "before", "after", "delete", "wrap", "prepend", "append")
TARGET = "TARGET"  # in the templates of `edits`: what is there now
_KEYS = ("template", "expandStart", "expandEnd", "title", "delete", "edits")
_OWN = ("interpolation", "allowLoss", "layout", "comments")
_LAYOUTS = ("keep", "template")


@dataclass(frozen=True, slots=True)
class Expansion:
    """Takes the first sibling along that matches, on one side of the match (F6)."""

    relation: Relation

    def reach(self, found: Found, root: Node, source: bytes) -> Node | None:
        env = Environment(root, source, Bindings(found.single, found.multi))
        return env.related[-1] if self.relation.match(found.node, env) is not None else None


@dataclass(frozen=True, slots=True)
class TargetEdit:
    """One change among several of a match: where, and what is written there.

    `target` is a capture, a rule for nodes inside the match, or None: the match itself.
    """

    target: Slot | Rule | None
    position: str
    template: Template


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to rewrite a match: a template, or `edits` apart from each other."""

    template: Template
    title: str | None = None
    start: Expansion | None = None
    end: Expansion | None = None
    edits: tuple[TargetEdit, ...] = ()
    allow_loss: bool | None = None
    layout: str | None = None
    attached: bool = False  # comments directly above what is removed go with it (CA7)

    @property
    def slots(self) -> frozenset[Slot]:
        """What any of its templates uses."""
        return frozenset.union(self.template.slots, *(one.template.slots for one in self.edits))


def compile_fixes(content: Mapping[str, Any], scope: Scope, captures: Captures) -> tuple[Fix, ...]:
    """The fixes of a document, the default first; none if it only reports."""
    raw = content.get("fix")
    if "edits" in content:
        if raw is not None:
            scope.fail("a rule has a fix or edits", "edits", "Put the edits into the fix.")
        raw = {"edits": content["edits"]}
    if raw is None:
        return ()
    if not isinstance(raw, list):
        return (_fix(raw, content, scope, captures, "fix"),)
    if not raw:
        scope.fail("the list is empty", "fix")
    for at, one in enumerate(raw):
        if not isinstance(one, dict) or "title" not in one:
            scope.fail("'title' is missing: there are several fixes", f"fix[{at}]")
    return tuple(_fix(one, content, scope, captures, f"fix[{at}]") for at, one in enumerate(raw))


def _fix(raw: Any, content: Mapping[str, Any], scope: Scope, captures: Captures, place: str) -> Fix:
    if isinstance(raw, str):
        raw = {"template": raw}
    raw = scope.keys(raw, place, (*_KEYS, *_OWN))
    mode = raw.get("interpolation", "sigils")
    if mode not in ("sigils", "braces"):
        scope.fail(f"unknown interpolation {mode!r}", f"{place}.interpolation", "sigils or braces.")
    braces = mode == "braces"
    allow = raw.get("allowLoss", content.get("allowLoss"))
    allow = allow if allow is None else scope.flag(allow, f"{place}.allowLoss")
    if (layout := raw.get("layout")) is not None:
        layout = scope.choice(layout, f"{place}.layout", "layout", _LAYOUTS)
    if (comments := raw.get("comments")) not in (None, "attached"):
        scope.fail(f"unknown word {comments!r}", f"{place}.comments", "attached, or leave it out.")
    edits: tuple[TargetEdit, ...] = ()
    if "edits" in raw:
        if "template" in raw or "delete" in raw:
            scope.fail("a fix has a template or edits", place)
        edits = _edits(raw["edits"], scope, captures, braces, f"{place}.edits")
    elif "delete" in raw:
        _delete(raw, scope, place)
    elif "template" not in raw:
        scope.fail("'template' is missing", place)
    text = scope.text(raw.get("template", ""), f"{place}.template")
    return Fix(
        compile_template(text, captures, scope, f"{place}.template", braces=braces),
        scope.text(raw["title"], f"{place}.title") if "title" in raw else None,
        _expansion(raw, "expandStart", Follows, scope, place),
        _expansion(raw, "expandEnd", Precedes, scope, place),
        edits,
        allow,
        layout,
        comments is not None,
    )


def _delete(raw: Mapping[str, Any], scope: Scope, place: str) -> None:
    if raw["delete"] != "item":
        scope.fail(f"unknown deletion {raw['delete']!r}", f"{place}.delete", "One of: item.")
    if raw.get("template"):
        scope.fail("what is deleted has no template", f"{place}.template")


def compile_template(
    text: str, captures: Captures, scope: Scope, place: str, *, braces: bool = False
) -> Template:
    """A template of what may be captured there; what is wrong with it fails the rule."""
    return scope.at(place, parse_template, text, captures, scope.row, braces=braces)


def _expansion(
    raw: Mapping[str, Any], key: str, make: type[Relation], scope: Scope, place: str
) -> Expansion | None:
    if key not in raw:
        return None
    where = f"{place}.{key}"
    if not isinstance(raw[key], dict):
        scope.fail("an object is expected here", where)
    rule = {name: value for name, value in raw[key].items() if name != "stopBy"}
    stop = compile_stop(raw[key].get("stopBy", "neighbor"), scope, f"{where}.stopBy")
    return Expansion(make(compile_rule(rule, scope, where), stop))


def _edits(
    raw: Any, scope: Scope, captures: Captures, braces: bool, place: str
) -> tuple[TargetEdit, ...]:
    if not isinstance(raw, list) or not raw:
        scope.fail("a list of edits is expected here", place)
    named = {**captures, TARGET: Metavariable(TARGET)}
    return tuple(_edit(one, scope, named, braces, f"{place}[{at}]") for at, one in enumerate(raw))


def _edit(raw: Any, scope: Scope, captures: Captures, braces: bool, place: str) -> TargetEdit:
    raw = scope.keys(raw, place, ("target", "position", "template"))
    wanted = raw.get("position", "replace")
    position = scope.choice(wanted, f"{place}.position", "position", POSITIONS)
    if (position == "delete") == ("template" in raw):
        has = "no template" if position == "delete" else "a template"
        scope.fail(f"the position {position!r} has {has}", place)
    text = scope.text(raw.get("template", ""), f"{place}.template")
    if position == "replace" and not text:
        position = "delete"  # as an empty template of a whole match deletes it
    template = compile_template(text, captures, scope, f"{place}.template", braces=braces)
    if position == "wrap" and Slot(TARGET, False) not in template.slots:
        scope.fail(f"the template wraps nothing: it has no ${TARGET}", f"{place}.template")
    return TargetEdit(_target(raw.get("target"), scope, captures, place), position, template)


def _target(raw: Any, scope: Scope, captures: Captures, place: str) -> Slot | Rule | None:
    where = f"{place}.target"
    if raw is None:
        return None
    if isinstance(raw, dict):
        return compile_rule(raw, scope, where)
    source = read_source(raw, scope, where)
    hole = captures.get(source.name)
    if hole is None or source.name == TARGET:
        scope.fail(f"${source.name} is not captured", where, captured(source.name, captures))
    if hole.many != source.many and not hole.loose:
        scope.fail(f"${source.name} is captured as {hole.spelling}", where)
    return source


IMPORT_KEYS = ("add", "remove", "prune")


@dataclass(frozen=True, slots=True)
class Imports:
    """What is asked of imports, checked for a language. `names` makes the edits."""

    changes: ImportChanges
    names: Names


def compile_imports(content: Mapping[str, Any], scope: Scope) -> Imports | None:
    """The `imports` of a document, checked; None if it has none."""
    if (raw := content.get("imports")) is None:
        return None
    raw = scope.keys(raw, "imports", IMPORT_KEYS)
    names = scope.resolver("imports")
    changes = scope.at("imports", import_changes, raw)
    scope.at("imports", names.check_imports, scope.row.name, changes)
    return Imports(changes, names)


def import_changes(raw: Mapping[str, Any]) -> ImportChanges:
    """What an object with `add`, `remove` and `prune` asks for; raises `RequestError`."""
    for key in raw:
        if key not in IMPORT_KEYS:
            hint = f"Known: {', '.join(IMPORT_KEYS)}."
            raise RequestError(f"Unknown key {key!r} in `imports`.", hint=hint)
    prune = raw.get("prune", False)
    if not isinstance(prune, bool):
        raise RequestError("`prune` of `imports` is not true or false.")
    return ImportChanges(_texts(raw, "add"), _texts(raw, "remove"), prune)


def joined(asked: Iterable[ImportChanges]) -> ImportChanges:
    """All of them as one."""
    every = list(asked)
    return ImportChanges(
        tuple(dict.fromkeys(text for one in every for text in one.add)),
        tuple(dict.fromkeys(text for one in every for text in one.remove)),
        any(one.prune for one in every),
    )


def _texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    texts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise RequestError(f"`{key}` of `imports` is an import, or a list of imports.")
    return tuple(texts)
