"""Rewriters: small rules with a fix, applied inside what a rule captured. (rules T6, T7)"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tree_sitter import Node

from astedit.pattern.template import Metavariable, Slot, Template
from astedit.rule.compile import compile_constrained
from astedit.rule.document import KEYS
from astedit.rule.environment import MAX_CALLS, Environment
from astedit.rule.fixes.fix import compile_template
from astedit.rule.fixes.pieces import expanded, put_together, separated, whole
from astedit.rule.fixes.transform import Transforms, compile_transforms
from astedit.rule.match.constraint import Constrained
from astedit.rule.match.node import Captures, all_captures, together
from astedit.rule.scope import Scope
from astedit.text.indent import Mark, Text


@dataclass(frozen=True, slots=True)
class Rewriter:
    """What to look for, the texts to make of it, and what to put in its place."""

    rule: Constrained
    transforms: Transforms | None
    template: Template

    def rewritten(self, node: Node, env: Environment) -> Text | None:
        """The new text of a node; None if the rule does not match it.

        The rule sees the captures of the rule that asked, at whatever depth, and none
        of another rewriter.
        """
        probe = env.fresh()
        probe.bindings = probe.outer = env.bindings if env.outer is None else env.outer
        probe.calls += 1
        if self.rule.match(node, probe) is None:
            return None
        if self.transforms is not None:
            self.transforms.apply(probe)
            env.lost = (*env.lost, *probe.lost)
        return expanded(self.template.parts, probe, node, self.template.row)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The transform `rewrite`: at every node the first rewriter that matches.

    `join` goes between the pieces, and nothing else is kept then; None keeps the text
    around them. No piece at all is a loss, unless `allow_empty` (T6). `table` is filled
    after the transforms are compiled.
    """

    table: Mapping[str, Rewriter]
    names: Sequence[str]
    join: bytes | None
    allow_empty: bool

    def __call__(self, source: Slot, env: Environment) -> Text | None:
        if not (nodes := env.nodes(source)):
            return None
        if env.calls >= MAX_CALLS:
            env.steps.gave_up = True
            return None
        pieces = list(self._pieces(nodes, env))
        if self.join is not None:
            if not pieces and not self.allow_empty:  # all that was captured would get lost
                env.lose(nodes)
            return put_together(separated(([text] for _, text in pieces), self.join))
        out: list[Text] = []
        at = nodes[0].start_byte
        for node, text in pieces:
            out += Text(env.source[at : node.start_byte]), text
            at = node.end_byte
        return put_together([*out, Text(env.source[at : nodes[-1].end_byte])])

    def _pieces(self, nodes: Sequence[Node], env: Environment) -> Iterator[tuple[Node, Text]]:
        """The rewritten pieces, in order. Nothing below a rewritten node is rewritten again."""
        rewriters = [self.table[name] for name in self.names]
        stack = list(reversed(nodes))
        while stack:
            node = stack.pop()
            for rewriter in rewriters:
                if (text := rewriter.rewritten(node, env)) is not None:
                    yield node, whole(text, Mark(0, 0, "", (node,), composed=True))
                    break
            else:
                stack.extend(reversed(node.children))


# ast-grep overlooks what a rewriter has of a document, such as its language.
_REWRITER_KEYS = tuple(key for key in KEYS if key != "rewriters")


Body = tuple[Constrained, Transforms | None, Captures]


def compile_body(content: Mapping[str, Any], scope: Scope) -> Body:
    """Compiles a document, and says what it captures, the names of its transforms included.

    Rewriters know what the rule captures, and they know each other.
    """
    raw = scope.items(content.get("rewriters", []), "rewriters", "rewriters")
    names = [_id(one, scope, f"rewriters[{at}]") for at, one in enumerate(raw)]
    if len(set(names)) < len(names):
        scope.fail("two rewriters have the same id", "rewriters")
    scope.rewriters = frozenset(names)
    table: dict[str, Rewriter] = {}
    rule, transforms, captures = _compile(content, scope, table)
    for at, (name, one) in enumerate(zip(names, raw, strict=True)):
        inner = replace(scope, locals=dict(scope.locals), prefix=f"rewriters[{at}].")
        table[name] = _rewriter(one, inner, captures, table)
    return rule, transforms, captures


def _compile(content: Mapping[str, Any], scope: Scope, table: Mapping[str, Rewriter]) -> Body:
    rule = compile_constrained(content, scope)
    captures = together(rule.captures(), all_captures(scope.locals.values()))
    if "transform" not in content:
        return rule, None, captures
    rewriting = partial(Rewriting, table)
    transforms = compile_transforms(content["transform"], scope, captures, rewriting)
    made = {one.name: Metavariable(one.name) for one in transforms.transforms}
    return rule, transforms, {**captures, **made}


def _id(raw: Any, scope: Scope, place: str) -> str:
    mapping = scope.keys(raw, place, _REWRITER_KEYS, "id", "rule", "fix")
    return scope.text(mapping["id"], f"{place}.id")


def _rewriter(
    raw: Mapping[str, Any], scope: Scope, outer: Captures, table: Mapping[str, Rewriter]
) -> Rewriter:
    fix = raw["fix"]
    if isinstance(fix, dict):
        fix = scope.keys(fix, "fix", ("template", "title")).get("template")
    text = scope.text(fix, "fix")
    rule, transforms, captures = _compile(raw, scope, table)
    return Rewriter(rule, transforms, compile_template(text, {**outer, **captures}, scope, "fix"))
