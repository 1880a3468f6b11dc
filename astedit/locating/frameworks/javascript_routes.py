"""Routes and mounts on the router objects of JavaScript: alike in all frameworks."""

from tree_sitter import Node

from astedit.locating.frameworks.javascript_syntax import (
    FUNCTIONS,
    VERBS,
    argument,
    arguments_of,
    callee_of,
    literal,
    owner_of,
)
from astedit.locating.frameworks.syntax import line_of, span_of, text_of
from astedit.locating.frameworks.web_facts import EMPTY, Mount, Registration, WebFacts


class RouterCalls:
    """Calls such as `app.get("/x", show)`, on the routers that the facts hold."""

    def __init__(self, facts: WebFacts) -> None:
        self._facts = facts
        self._chains: dict[int, Node | None] = {}

    def read(self, call: Node) -> bool:
        """Adds what a call says; False if it is no call of a router."""
        function = callee_of(call)
        if function is None or function.type != "member_expression":
            return False
        owner = function.child_by_field_name("object")
        if owner is None:
            return False
        verb = text_of(function.child_by_field_name("property"))
        is_verb = verb in VERBS or verb == "all"
        chained = self._chained(owner)
        if chained is not None and is_verb:
            self._add(call, text_of(owner_of(chained)), verb, argument(chained, 0))
            return True
        name, first = text_of(owner), argument(call, 0)
        if not any(router.name == name for router in self._facts.routers):
            return False
        if verb == "use" and first is not None:
            self._use(call, name)
        elif is_verb and argument(call, 1) is not None:
            self._add(call, name, verb, first)
        return True

    def _chained(self, owner: Node) -> Node | None:
        """The `router.route("/x")` that a chain such as `.get(a).post(b)` hangs on.

        The outer calls of a chain are asked about first: what it hangs on is kept for all.
        """
        passed = []
        route = None
        while owner.type == "call_expression" and owner.id not in self._chains:
            passed.append(owner.id)
            function = callee_of(owner)
            if function is None or function.type != "member_expression":
                break
            if text_of(function.child_by_field_name("property")) == "route":
                route = owner
                break
            inner = function.child_by_field_name("object")
            if inner is None:
                break
            owner = inner
        else:
            route = self._chains.get(owner.id)
        self._chains.update(dict.fromkeys(passed, route))
        return route

    def _use(self, call: Node, owner: str) -> None:
        path, last = argument(call, 0), arguments_of(call)[-1]
        child = _routed(last)
        if child:
            prefix = literal(path)
            prefix = EMPTY if prefix.text is None and last is path else prefix
            self._facts.mounts.append(Mount(owner, child, prefix, line_of(call), maker="use"))

    def _add(self, call: Node, owner: str, verb: str, path: Node | None) -> None:
        routers = self._facts.routers
        framework = next((router.framework for router in routers if router.name == owner), None)
        if framework is None or path is None:
            return
        arguments = arguments_of(call)
        handler = arguments[-1] if arguments else call
        self._facts.registrations.append(
            Registration(
                owner=owner,
                framework=framework,
                methods=_methods(verb),
                paths=(literal(path),),
                handler=text_of(handler) if handler.type == "identifier" else "",
                line=line_of(call),
                span=span_of(handler),
                body=span_of(handler.child_by_field_name("body") or handler),
                region=handler.type in FUNCTIONS,
            )
        )


def _methods(verb: str) -> tuple[str, ...]:
    if verb == "all":
        return ()
    return ("DELETE",) if verb == "del" else (verb.upper(),)


def _routed(node: Node) -> str:
    """What is mounted: a router's name, its `.routes()`, or the file of a `require`."""
    if node.type == "call_expression":
        callee = text_of(callee_of(node))
        if callee == "require":
            module = literal(argument(node, 0)).text
            return f"'{module}" if module else ""
        return text_of(owner_of(node)) if callee.endswith(".routes") else ""
    return text_of(node) if node.type in ("identifier", "member_expression") else ""
