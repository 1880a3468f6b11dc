"""Statements or an expression become a function of the module, which is called in their place."""

from collections.abc import Sequence
from itertools import takewhile

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import parents
from astedit.python.evaluation import LATE, LOOPS, not_at_once
from astedit.python.scopes import NameScope
from astedit.python.syntax import docstring_of, every_node, field_of, text_of, words
from astedit.semantic.extract.flow import Flow, FlowReader, definitely_bound
from astedit.semantic.extract.selection import (
    SelectedCode,
    check_new_name,
    statement_of,
    would_change,
)
from astedit.semantic.module_code import PRIVATE, top_of
from astedit.semantic.move.moved_code import reindented
from astedit.semantic.remove import statement_span
from astedit.text.indent import leading, unit_of
from astedit.text.source import Change, end_of_line, line_end, line_start

_DELETED = ("delete_statement", "expression_list", "tuple", "parenthesized_expression")
_DYNAMIC = ("locals", "vars", "eval", "exec", "dir", "super", "__class__")


def named_function(selection: SelectedCode, name: str) -> list[Change]:
    """The changes that make the selected code a function, and call it where the code was.

    Raises `PreconditionError` where the program would then do something else.
    """
    return _Extraction(selection, name).changes()


class _Extraction:
    def __init__(self, selection: SelectedCode, name: str) -> None:
        self._selection, self._name = selection, name
        self._module = selection.module
        self._statements = selection.statements
        self._nodes = self._statements or [selection.expression]
        self._scope = self._module.scopes.around(self._nodes[0])
        while self._scope.kind == "comprehension" and self._scope.parent is not None:
            self._scope = self._scope.parent
        around = ("function_definition", "class_definition", "lambda")
        inner = (child for above, child in parents(self._nodes[0]) if above.type in around)
        self._body = next(inner, self._module.root)  # the block of the function, if it is in one
        self._reader = FlowReader(self._module.scopes, self._scope)
        self._inner = [word for node in self._nodes for word in words(node)]

    def changes(self) -> list[Change]:
        """The function above its statement of the top level, and the call."""
        self._check()
        flow = self._reader.of_all(self._nodes)
        arguments, results = self._names(flow)
        check_new_name(self._selection, self._name, self._module.root)
        awaits = self._waits()
        call = f"{self._name}({', '.join(arguments)})"
        header = f"{'async ' if awaits else ''}def {call}:"
        call = f"await {call}" if awaits else call
        code, eol = self._module.code, end_of_line(self._module.code)
        body = self._text(results, eol)
        at = statement_span(top_of(self._nodes[0]), code)[0]
        function = (at, at, header.encode() + eol + body + eol + eol)
        if not self._statements:
            node = self._nodes[0]
            above = node.parent
            inner = awaits and above is not None and above.type != "expression_statement"
            if inner or field_of(node) == "arguments":  # its brackets are those of a call, too
                call = f"({call})"
            return [function, (*node.byte_range, call.encode())]
        if flow.ends:
            call = f"return {call}"
        elif results:
            call = f"{', '.join(results)} = {call}"
        return [function, (self._selection.start, self._selection.end, call.encode())]

    # -- what stands in the way ----------------------------------------------------------------

    def _refused(self, node: Node, why: str) -> PreconditionError:
        return would_change(self._module.path, node, why)

    def _check(self) -> None:
        """Raises for code that means something else in a function of its own."""
        first = self._nodes[0]
        if self._scope.kind == "class":
            raise self._refused(first, "it stands in a class, whose names a function does not see")
        scopes = self._module.scopes
        for word in self._inner:
            text, holder = text_of(word), scopes.holder(word)
            if scopes.of(word) is not None and holder is None and text in _DYNAMIC:
                raise self._refused(word, f"{text} depends on the function that it stands in")
            if PRIVATE.fullmatch(text) and self._in_class():
                raise self._refused(word, f"Python reads {text} as a name of the class alone")
            bound = holder.bindings[text] if holder not in (None, self._scope) and holder else ()
            own = (b.node.start_byte for b in bound if b.scope is self._scope)
            if any(map(self._is_inside, own)):  # by `global` or `nonlocal`
                raise self._refused(word, f"it binds {text}, which is not a name of the function")
        for inner in self._of_own("yield", "global_statement", "nonlocal_statement"):
            raise self._refused(inner, f"`{text_of(inner).split()[0]}` is of its function")
        for inner in self._of_own("break_statement", "continue_statement"):
            if not self._has_loop(inner):
                raise self._refused(inner, "it leaves a loop that is not selected")
        if self._statements:
            self._check_statements()
        elif ((why := not_at_once(first)) and "assigned" in why) or "written out" in why:
            raise self._refused(first, why)
        elif self._of_own("named_expression"):
            raise self._refused(first, "it binds a name")

    def _is_inside(self, at: int) -> bool:
        return self._selection.start <= at < self._selection.end

    def _check_statements(self) -> None:
        code = self._module.code
        first, last = self._statements[0], self._statements[-1]
        before = code[line_start(code, first.start_byte) : first.start_byte].strip()
        behind = code[last.end_byte : line_end(code, last.end_byte)].strip()
        text = docstring_of(first.parent)
        if text is not None and self._is_inside(text.start_byte):
            raise self._refused(text, "it is the text that documents what it stands in")
        if before or (behind and not behind.startswith(b"#")):
            raise self._refused(first, "it shares a line with other code")
        for inner in self._of_own("import_from_statement", "future_import_statement"):
            if inner.type == "future_import_statement" or b"*" in (inner.text or b""):
                raise self._refused(inner, "it has to stand at the top of the module")
        outside = set(map(text_of, self._outside()))
        for word in (word for at in self._of_own("delete_statement") for word in words(at)):
            is_name = word.parent is not None and word.parent.type in _DELETED
            if is_name and self._is_own(word) and text_of(word) in outside:
                raise self._refused(word, f"it deletes {text_of(word)}, which is used elsewhere")
        returns = self._of_own("return_statement")
        flow = self._reader.of_all(self._nodes)
        if self._body.type == "module" and returns:
            raise self._refused(returns[0], "it stands in no function")
        if returns and not flow.ends:
            raise self._refused(returns[0], "it returns on some ways, and goes on on others")

    def _has_loop(self, jump: Node) -> bool:
        for above, node in parents(jump):
            if node in self._nodes:
                break
            is_body = above.child_by_field_name("body") == node
            if above.type in LOOPS and is_body:
                return above.start_byte >= self._selection.start
        return False

    def _in_class(self) -> bool:
        scope: NameScope | None = self._scope
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope is not None

    def _of_own(self, *kinds: str) -> list[Node]:
        """The nodes of those kinds, functions that are defined within left out."""
        closed = ("function_definition", "lambda")
        every = (inner for node in self._nodes for inner in every_node(node, closed))
        return [inner for inner in every if inner.type in kinds]

    def _waits(self) -> bool:
        """Whether the code runs in a coroutine alone."""
        clauses = map(text_of, self._of_own("for_statement", "with_statement", "for_in_clause"))
        return bool(self._of_own("await")) or any(text.startswith("async") for text in clauses)

    # -- what goes in and comes out -----------------------------------------------------------

    @property
    def _around(self) -> list[tuple[Node, Node]]:
        """What stands around the code in its function, each with the child on the way."""
        return [*takewhile(lambda pair: pair[1] != self._body, parents(self._nodes[0]))]

    def _names(self, flow: Flow) -> tuple[list[str], list[str]]:
        """The variables that the function takes, and those that it gives back."""
        first = self._nodes[0]
        reads = set(flow.reads)
        written = flow.binds
        outside = self._outside()
        after = written & self._read_after(outside)
        if self._loop_around() is not None:
            after |= written & reads  # in the next round
        if self._scope.kind == "module":
            after = set(written)
            reads &= written
        needed = reads | (after - flow.sure if not flow.ends else set())
        bound = definitely_bound(self._reader, self._body, self._nodes) | self._parameters()
        for name in sorted(needed - bound):
            raise self._refused(first, f"{name} may have no value there yet")
        self._check_shared(written, outside)
        if after and not flow.ends and self._caught():
            raise self._refused(first, f"{min(after)} may be bound there when something is raised")
        passed = [*self._others(), *sorted(needed, key=self._place)]
        return [*dict.fromkeys(passed)], sorted(after, key=self._place)

    def _parameters(self) -> set[str]:
        every = self._scope.bindings.items()
        listed = ("parameters", "lambda_parameters")
        return {
            name
            for name, bindings in every
            for binding in bindings
            if binding.kind == "value" and _above(binding.node, listed, self._body)
        }

    def _others(self) -> list[str]:
        """Names of functions and comprehensions around that one, which have to be passed, too."""
        scopes, names = self._module.scopes, []
        for word in self._inner:
            holder = scopes.holder(word)
            if holder in (None, self._scope, scopes.module) or holder is None:
                continue
            bound = holder.bindings[text_of(word)]
            if not any(self._is_inside(binding.node.start_byte) for binding in bound):
                names.append(text_of(word))
        return names

    def _outside(self) -> list[Node]:
        """The names of the scope that are written outside of the selection."""
        root = self._body.parent or self._body
        return [w for w in words(root) if not self._is_inside(w.start_byte) and self._is_own(w)]

    def _is_own(self, word: Node) -> bool:
        return self._module.scopes.holder(word) is self._scope

    def _read_after(self, outside: Sequence[Node]) -> set[str]:
        """The names that may be read once the selected code has run."""
        loop = self._loop_around()
        return {
            text_of(word)
            for word in outside
            if word.start_byte >= self._selection.end
            or (loop is not None and word.start_byte >= loop.start_byte)
        }

    def _loop_around(self) -> Node | None:
        """The outermost loop around the code."""
        return next((above for above, _ in self._around[::-1] if above.type in LOOPS), None)

    def _check_shared(self, written: set[str], outside: Sequence[Node]) -> None:
        """Raises where a function inside shares a variable that one of the two would not see."""
        start, end, loop = self._selection.start, self._selection.end, self._loop_around()
        calls = self._of_own("call")
        for word in [*outside, *self._inner]:
            name, inside = text_of(word), self._is_inside(word.start_byte)
            if not self._is_own(word) or not _above(word, LATE, self._body):
                continue
            nodes = [b.node for b in self._scope.bindings[name] if b.kind != "deleted"]
            places = [node.start_byte for node in nodes]
            within = [place for place in places if start <= place < end]
            if self._scope.kind == "module" and not inside:
                # nobody sees a variable of the module before the new function has returned
                ends = [statement_of(n).end_byte for n in nodes if self._is_inside(n.start_byte)]
                within = [at for at in ends if any(call.start_byte >= at for call in calls)]
            # after the code, or when it is reached again
            later = [p for p in places if p > end or (loop is not None and p >= loop.start_byte)]
            apart = later if not within else len(within) < len(places)
            if (apart and (within or name not in written)) if inside else within:
                raise self._refused(word, f"a function inside shares {name} with the code")

    def _caught(self) -> bool:
        """Whether what is raised in the code may be caught in the same function."""
        for above, node in self._around:
            head = (above.text or b"").partition(b":")[0]
            catches = above.type == "try_statement" or (
                above.type == "with_statement" and b"suppress" in head
            )
            if catches and above.child_by_field_name("body") == node:
                return True
        return False

    def _place(self, name: str) -> int:
        """Where a name is first bound: parameters come in that order."""
        bound = self._scope.bindings.get(name, ())
        return min((binding.node.start_byte for binding in bound), default=0)

    # -- the text ---------------------------------------------------------------------------------

    def _text(self, results: Sequence[str], eol: bytes) -> bytes:
        code = self._module.code
        unit = unit_of(code) or b"    "
        if not self._statements:
            text = code[self._selection.start : self._selection.end]
            is_whole = b"\n" not in text or self._nodes[0].type == "parenthesized_expression"
            return unit + b"return " + (text if is_whole else b"(" + text + b")") + eol
        start = line_start(code, self._selection.start)
        end = line_end(code, self._selection.end - 1)
        indent = leading(code, self._selection.start)
        text = reindented(code, (start, end), self._statements, (indent, unit))
        text = text if text.endswith(b"\n") else text + eol
        if results and not self._reader.of_all(self._nodes).ends:
            text += unit + b"return " + ", ".join(results).encode() + eol
        return text


def _above(node: Node, kinds: Sequence[str], body: Node) -> bool:
    """Whether a node stands in one of these kinds, up to what holds `body`."""
    around = takewhile(lambda pair: pair[0] != body.parent, parents(node))
    return any(above.type in kinds for above, _ in around)
