"""A function of one expression, which is written where the function was called."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.evaluation import (
    MUTABLE,
    before_it,
    every_node,
    fitting,
    has_effects,
    is_late_in,
    is_scope_of,
    is_within,
    not_at_once,
    not_constant,
    reads_state,
)
from astedit.python.scopes import Scopes
from astedit.python.syntax import arguments, parameters, parts_of, text_of, words
from astedit.semantic.extract.selection import would_change
from astedit.semantic.module_code import ModuleCode, WorkspaceCode
from astedit.text.splice import Change, splice

DYNAMIC = ("locals", "vars", "eval", "exec", "super", "__class__", "globals")


class InlinedFunction:
    """A function of one expression, written at its calls."""

    def __init__(self, code: WorkspaceCode, module: ModuleCode, node: Node) -> None:
        self._code, self._module, self._node = code, module, node
        body = node.child_by_field_name("body")
        statements = list(parts_of(body)) if body is not None else []
        first = parts_of(statements[0])[:1] if statements else []
        if len(statements) > 1 and first and first[0].type == "string":
            del statements[0]
        self._returns = bool(statements) and statements[-1].type == "return_statement"
        inner = parts_of(statements[0]) if len(statements) == 1 else []
        is_one = len(inner) == 1 and statements[0].type in (
            "return_statement",
            "expression_statement",
        )
        if not is_one or inner[0].type in ("assignment", "augmented_assignment", "yield"):
            raise self._refused(node, "its body is more than one expression")
        self._value = inner[0]
        if text_of(node).startswith("async"):
            raise self._refused(node, "it is a coroutine")
        self._parameters = parameters(node.child_by_field_name("parameters"))
        if any(item.star for item in self._parameters):
            raise self._refused(node, "it takes any number of arguments")
        for inner_node in every_node(self._value):
            odd = inner_node.type in ("await", "yield", "named_expression")
            if odd or (inner_node.type == "identifier" and text_of(inner_node) in DYNAMIC):
                raise self._refused(inner_node, f"{text_of(inner_node)[:40]} is of the function")

    def _refused(self, node: Node, why: str, path: str = "") -> PreconditionError:
        return would_change(path or self._module.path, node, why)

    def changes(self, uses: Mapping[str, Sequence[Node]]) -> dict[str, list[Change]]:
        """What is written at each call, by path."""
        word = self._node.child_by_field_name("name")
        changes: dict[str, list[Change]] = {}
        for path, places in uses.items():
            for use in places:
                if path != self._module.path or use != word:
                    changes.setdefault(path, []).append(self._call(path, use))
            for one, two in pairwise(sorted(changes.get(path, ()))):
                if two[0] < one[1]:
                    raise self._refused(self._node, "a call of it is an argument of another", path)
        return changes

    def _call(self, path: str, use: Node) -> Change:
        call = use.parent
        if call is None or call.child_by_field_name("function") != use:
            raise self._refused(use, "it is passed on, and not called", path)
        if path == self._module.path and is_within(use, self._node):
            raise self._refused(use, "it calls itself", path)
        is_alone = call.parent is not None and call.parent.type == "expression_statement"
        if not self._returns and not is_alone:
            raise self._refused(use, "its result is None, and is used", path)
        scopes = self._code.needed(path).scopes
        text = fitting(self._text(call, path, scopes), self._value, call)
        return call.start_byte, call.end_byte, text

    def _text(self, call: Node, path: str, scopes: Scopes) -> bytes:
        """The function's expression with the arguments of a call."""
        passed = self._passed(call, path)
        own = self._module.scopes
        occurrences: dict[str, list[Node]] = {name: [] for name in passed}
        bound = {
            name
            for scope in own.all
            for name in scope.bindings
            if is_scope_of(scope, own, self._value)
        }
        for word in words(self._value):
            name, scope = text_of(word), own.of(word)
            if scope is None:
                continue
            holder = scope.holder(name)
            if holder is own.inside(self._node) and name in passed:
                occurrences[name].append(word)
            elif (
                holder is None or holder is own.module or not is_scope_of(holder, own, self._value)
            ):
                there = scopes.around(call).holder(name)
                same = there is holder or (there is None and holder is None)
                if not same:
                    raise self._refused(call, f"{name} means something else there", path)
        self._check_order(call, path, passed, occurrences)
        changes = []
        for name, places in occurrences.items():
            names = {text_of(word) for word in words(passed[name])}
            if names & bound and places:
                raise self._refused(call, f"{min(names & bound)} means something else there", path)
            for place in places:
                value = passed[name]
                text = fitting(value.text or b"", value, place)
                low = place.start_byte - self._value.start_byte
                changes.append((low, low + len(place.text or b""), text))
        return splice(self._value.text or b"", sorted(changes))

    def _passed(self, call: Node, path: str) -> dict[str, Node]:
        """The argument of each parameter; its default where there is none."""
        names = [text_of(item.name) for item in self._parameters]
        passed: dict[str, Node] = {}
        for at, argument in enumerate(arguments(call)):
            if argument.star or (argument.keyword is None and at >= len(names)):
                raise self._refused(call, "which argument is which is not known", path)
            key = names[at] if argument.keyword is None else text_of(argument.keyword)
            passed[key] = argument.value
        for item in self._parameters:
            name = text_of(item.name)
            if name not in passed:
                if item.default is None or not_constant(item.default):
                    raise self._refused(call, f"{name} has no plain default", path)
                passed[name] = item.default
        if passed.keys() - set(names):
            raise self._refused(call, "it passes what the function does not take", path)
        return passed

    def _check_order(
        self,
        call: Node,
        path: str,
        passed: Mapping[str, Node],
        occurrences: Mapping[str, list[Node]],
    ) -> None:
        """Raises where arguments would be evaluated in another order, not once, or not at all."""
        busy = {
            name: node for name, node in passed.items() if has_effects(node) or reads_state(node)
        }
        mutable = {
            n for n, node in passed.items() if any(i.type in MUTABLE for i in every_node(node))
        }
        for name in [*busy, *mutable]:
            if len(occurrences[name]) != 1:
                raise self._refused(
                    call, f"{name} would be evaluated {len(occurrences[name])} times", path
                )
        places = [occurrences[name][0] for name in sorted(busy, key=lambda n: busy[n].start_byte)]
        if places != sorted(places, key=lambda node: node.start_byte):
            raise self._refused(call, "its arguments would be evaluated in another order", path)
        for name, place in ((name, occurrences[name][0]) for name in busy):
            why = not_at_once(place)
            if why or any(has_effects(part) for part in before_it(place)):
                raise self._refused(call, f"{name} would be evaluated later, or not at all", path)
            state = any(reads_state(part) for part in before_it(place))
            if has_effects(busy[name]) and state:
                raise self._refused(call, f"other values would be read before {name}", path)
        for name, places in occurrences.items():
            late = [node for node in places if is_late_in(node, self._value)]
            if late and not_constant(passed[name]):
                raise self._refused(call, f"{name} would be read later", path)
