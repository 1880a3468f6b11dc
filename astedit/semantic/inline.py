"""`inline`: the plan that writes what a name stands for where it is used."""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tree_sitter import Node

from astedit.engine.change_steps import ChangeSteps, WorkedOut
from astedit.errors import PreconditionError
from astedit.language.brackets import nearest
from astedit.model.plan import Plan
from astedit.python.evaluation import (
    EACH,
    LATE,
    LOOPS,
    MUTABLE,
    before_it,
    fitting,
    has_effects,
    is_scope_of,
    is_stable,
    is_within,
    may_change,
    not_at_once,
    not_constant,
    reads_state,
)
from astedit.python.facts import AttributeUse, ImportUse, ListedUse, NameUse, SpelledUse
from astedit.python.scopes import NameScope, Scopes
from astedit.python.syntax import (
    arguments,
    docstring_of,
    every_node,
    parameters,
    parts_of,
    text_of,
    words,
)
from astedit.semantic.extract.selection import would_change
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import is_listing, listed
from astedit.semantic.module_code import ModuleCode, WorkspaceCode
from astedit.semantic.move.side_effects import names_at_once
from astedit.semantic.move.users import is_target
from astedit.semantic.remove import removed, shares_line, statement_cuts
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.semantic.rename.gather import References, gather, possible_places
from astedit.text.source import Change, splice


def plan(asked: NameRequest) -> Plan:
    """The plan of an inlining; the same tree gives the same plan.

    Raises `StaleError` when the file of the definition is not the one that was located, and
    `PreconditionError` where the program would do something else.
    """
    steps = ChangeSteps(asked.workspace)
    with Library(asked, asked.last) as library:
        inlining = _Inlining(library, WorkspaceCode(library), asked.path, asked.name)
        steps.take(inlining.worked_out())
    if not inlining.is_local:
        with asked.workspace.overlaid(steps.contents), Library(asked, asked.last) as library:
            last = removed(library, asked.path, asked.name)
        last.hints = [hint for hint in last.hints if not is_listing(hint)]  # said already
        steps.take(last)
    assert steps.made is not None
    return asked.plan(steps.made)


_DYNAMIC = ("locals", "vars", "eval", "exec", "super", "__class__", "globals")
_BY_NAME = ("locals", "vars", "eval", "exec", "dir")


@dataclass(slots=True)
class _Inlining:
    """One definition and everything that uses it."""

    library: Library
    code: WorkspaceCode
    path: str
    name: str
    is_local: bool = False
    changes: dict[str, list[Change]] = field(default_factory=dict)

    def worked_out(self) -> WorkedOut:
        """What is written at each use; raises `PreconditionError`."""
        references = gather(self.library, self.path, self.name)
        module = self.code.needed(self.path)
        nodes = definition_nodes(module.root, self.name)
        if len(nodes) != 1 or references.owner is not None or references.is_parameter:
            why = "it is a member, a parameter, or bound in more than one place"
            raise self._refused(nodes[0] if nodes else module.root, why)
        node = nodes[0]
        if shares_line(node, module.code):
            raise self._refused(node, "it shares its line with other code")
        self.is_local = bool(references.prefix)
        if not self.is_local and (line := names_at_once(module)) is not None:
            raise self._refused(node, f"line {line} reads the names of the module by globals()")
        around = nearest(node, ("function_definition",)) if self.is_local else None
        if around is not None and any(text_of(word) in _BY_NAME for word in words(around)):
            raise self._refused(node, "its function reads names by locals(), eval() or the like")
        uses = self._uses(references, node)
        if sum(map(len, uses.values())) <= (node.type == "function_definition"):
            raise self._refused(node, "nothing uses it: `astedit remove` takes it away")
        if node.type == "expression_statement":
            self._value(module, node, uses)
        elif node.type == "function_definition":
            self.changes = InlinedFunction(self.code, module, node).changes(uses)
        else:
            raise self._refused(node, "it is no variable and no plain function")
        if self.is_local:
            self.changes.setdefault(self.path, []).extend(statement_cuts([node], module.code))
        self._check_code()
        places = possible_places(self.library, references.judged())
        return self.library.worked_out(self.changes, listed(references.old, places))

    def _uses(self, references: References, node: Node) -> dict[str, list[Node]]:
        """The places that read the name, by path, in order."""
        result: dict[str, list[Node]] = {}
        for path, uses in sorted(references.judged().certain.items()):
            module = self.code.needed(path)
            for use in sorted(uses, key=lambda use: use.start):
                inside = path == self.path and node.start_byte <= use.start < node.end_byte
                if isinstance(use, ImportUse | ListedUse):
                    if isinstance(use, ImportUse) and use.alias:
                        raise self._refused(module.at(use), "it is imported as another name", path)
                elif not inside or node.type == "function_definition":
                    result.setdefault(path, []).append(self._place(module, use))
        return result

    def _place(self, module: ModuleCode, use: SpelledUse) -> Node:
        at = module.at(use)
        if not isinstance(use, NameUse | AttributeUse) or at.type != "identifier":
            raise self._refused(at, "it is named in a text or as a keyword", module.path)
        if isinstance(use, AttributeUse) and at.parent is not None:
            return at.parent
        return at

    def _refused(self, node: Node, why: str, path: str = "") -> PreconditionError:
        return would_change(path or self.path, node, why)

    def _check_code(self) -> None:
        """Raises unless every changed module can still be read as Python."""
        for path, changes in self.changes.items():
            module = self.code.needed(path)
            try:
                with warnings.catch_warnings(action="ignore"):  # of escapes
                    ast.parse(splice(module.code, sorted(changes)))
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                raise self._refused(module.root, "the value cannot stand there", path) from error

    # -- a variable ------------------------------------------------------------------------------

    def _value(self, module: ModuleCode, node: Node, uses: Mapping[str, Sequence[Node]]) -> None:
        assignment = parts_of(node)[0]
        value = assignment.child_by_field_name("right")
        target = assignment.child_by_field_name("left")
        if value is None or target is None or assignment.type != "assignment":
            raise self._refused(node, "it has no value there")
        scope = module.scopes.of(target)
        bindings = scope.holder(text_of(target)) if scope is not None else None
        if bindings is None or len(bindings.bindings[text_of(target)]) != 1:
            raise self._refused(node, "it is bound in more than one place")
        if scope is not None and scope.kind == "class":
            raise self._refused(node, "it is a member of a class")
        every = [(path, use) for path, places in uses.items() for use in places]
        for path, use in every:
            self._check_target(path, use)
            if path != self.path and (why := not_constant(value)):
                raise self._refused(use, why, path)
        if has_effects(value) or not is_stable(value, module.scopes):
            self._check_next(module, node, value, every)
        else:
            self._check_stable(module, node, value, every)
        for path, use in every:
            _check_names(value, module.scopes, None, use, self.code.needed(path))
            text = fitting(value.text or b"", value, use)
            self.changes.setdefault(path, []).append((*use.byte_range, text))

    def _check_target(self, path: str, use: Node) -> None:
        above = use.parent
        assert above is not None
        if is_target(use) or above.type in ("global_statement", "nonlocal_statement"):
            raise self._refused(use, "it is bound again there", path)
        if above.type == "interpolation" and b"=" in (above.text or b""):
            raise self._refused(use, "the text shows how it is written", path)

    def _check_next(
        self, module: ModuleCode, node: Node, value: Node, uses: Sequence[tuple[str, Node]]
    ) -> None:
        """A value that depends on when it is made goes to one place, where it is made as soon."""
        if len(uses) != 1:
            raise self._refused(node, f"it would be evaluated {len(uses)} times, and not once")
        ((path, use),) = uses
        after = node.next_named_sibling
        while after is not None and after.type == "comment":
            after = after.next_named_sibling
        inside = after is not None and after.start_byte <= use.start_byte < after.end_byte
        inside = inside and nearest(use, ("block", "module")) == node.parent
        if path != self.path or not inside:
            raise self._refused(use, "other code would run before it is evaluated", path)
        earlier = list(before_it(use))
        why = not_at_once(use)
        if not why and any(map(has_effects, earlier)):
            why = "other code would run before it is evaluated"
        scopes = module.scopes
        if not why and has_effects(value) and any(may_change(part, scopes) for part in earlier):
            why = "other values would be read before it is evaluated"
        if why:
            raise self._refused(use, why.replace("it would run", "the value would be made"), path)

    def _check_stable(
        self, module: ModuleCode, node: Node, value: Node, uses: Sequence[tuple[str, Node]]
    ) -> None:
        """A value that is always the same goes everywhere, where its names have their values."""
        loop = nearest(node, LOOPS)
        is_shared = any(inner.type in MUTABLE for inner in every_node(value))
        names = [word for word in words(value) if module.scopes.holder(word) is not None]
        for path, use in uses:
            late = nearest(use, LATE)
            inner = late is not None and not is_within(node, late)
            behind = path == self.path and use.start_byte > node.end_byte
            around = nearest(use, LOOPS)
            again = inner or (around is not None and not is_within(node, around))
            again = again or not_at_once(use).endswith(EACH)
            if is_shared and (len(uses) > 1 or again):
                raise self._refused(use, "each use would have an object of its own", path)
            if names and not (behind or inner):
                raise self._refused(use, "it is used before it is bound", path)
            if loop is not None and names and (inner or not is_within(use, loop)):
                raise self._refused(use, "its value is another one by then", path)


def _check_names(
    value: Node, own: Scopes, function: NameScope | None, use: Node, there: ModuleCode
) -> None:
    """Raises unless the names in a value, those of its function aside, mean the same at a use."""
    for word in words(value):
        holder, name = own.holder(word), text_of(word)
        is_inner = holder is not None and (holder is function or is_scope_of(holder, own, value))
        if own.of(word) is None or is_inner:
            continue
        if there.scopes.around(use).holder(name) is not holder:
            raise would_change(there.path, use, f"{name} means something else there")


class InlinedFunction:
    """A function of one expression, written at its calls."""

    def __init__(self, code: WorkspaceCode, module: ModuleCode, node: Node) -> None:
        self._code, self._module, self._node = code, module, node
        body = node.child_by_field_name("body")
        statements = parts_of(body)
        if len(statements) > 1 and docstring_of(body) is not None:
            del statements[0]
        self._returns = bool(statements) and statements[-1].type == "return_statement"
        inner = parts_of(statements[0]) if len(statements) == 1 else []
        kinds = ("return_statement", "expression_statement")
        is_one = len(inner) == 1 and statements[0].type in kinds
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
            if odd or (inner_node.type == "identifier" and text_of(inner_node) in _DYNAMIC):
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
        text = fitting(self._text(call, self._code.needed(path)), self._value, call)
        return *call.byte_range, text

    def _text(self, call: Node, there: ModuleCode) -> bytes:
        """The function's expression with the arguments of a call."""
        path, own = there.path, self._module.scopes
        passed, inside = self._passed(call, path), own.inside(self._node)
        occurrences: dict[str, list[Node]] = {name: [] for name in passed}
        scopes = (scope for scope in own.all if is_scope_of(scope, own, self._value))
        bound = {name for scope in scopes for name in scope.bindings}
        for word in words(self._value):
            if own.holder(word) is inside:
                occurrences[text_of(word)].append(word)
        _check_names(self._value, own, inside, call, there)
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
        busy = {n: node for n, node in passed.items() if has_effects(node) or reads_state(node)}
        mutable = {
            n for n, node in passed.items() if any(i.type in MUTABLE for i in every_node(node))
        }
        for name in [*busy, *mutable]:
            if (count := len(occurrences[name])) != 1:
                raise self._refused(call, f"{name} would be evaluated {count} times", path)
        places = [occurrences[name][0] for name in sorted(busy, key=lambda n: busy[n].start_byte)]
        if places != sorted(places, key=lambda node: node.start_byte):
            raise self._refused(call, "its arguments would be evaluated in another order", path)
        for name, place in ((name, occurrences[name][0]) for name in busy):
            if not_at_once(place) or any(has_effects(part) for part in before_it(place)):
                raise self._refused(call, f"{name} would be evaluated later, or not at all", path)
            before = [part for part in before_it(place) if may_change(part, self._module.scopes)]
            if has_effects(busy[name]) and before:
                raise self._refused(call, f"other values would be read before {name}", path)
        for name, places in occurrences.items():
            lates = (nearest(node, ("lambda", "generator_expression")) for node in places)
            is_late = any(late is not None and is_within(late, self._value) for late in lates)
            if is_late and not_constant(passed[name]):
                raise self._refused(call, f"{name} would be read later", path)
