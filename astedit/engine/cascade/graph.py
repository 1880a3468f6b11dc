"""Which rule calls which: names looked up, groups taken in, and the graph to look at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from json import dumps
from typing import Any

from astedit.errors import RequestError
from astedit.packs import shipped
from astedit.rule.cascade import bound_names, is_triggered, names_of, with_params
from astedit.rule.document import Document, read_rules
from astedit.rule.failure import some_of, wrong

RuleContent = dict[str, Any]


def expanded(documents: Sequence[Document], params: Mapping[str, str]) -> list[RuleContent]:
    """The documents with parameters put in, and every rule that they call, however far.

    `use` names ids alone afterwards. Raises `RuleError` and `RequestError` (exit 2).
    """
    loaded = _Loaded(with_params(documents, params))
    at = 0
    while at < len(loaded.documents):  # which grows
        document = loaded.documents[at]
        then = [
            loaded.entry(document, entry, f"then[{number}]")
            for number, entry in enumerate(document.content.get("then", ()))
        ]
        if then:
            loaded.documents[at] = replace(document, content={**document.content, "then": then})
        at += 1
    loaded.check_bindings()
    return [dict(document.content) for document in loaded.documents]


class _Loaded:
    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
        self._ids = {document.id for document in documents}
        self._own = dict.fromkeys(document.id for document in documents)
        self._own_groups: dict[str, list[str]] = {}
        for id in self._own:
            for end in (at for at, sign in enumerate(id) if sign == "/"):
                self._own_groups.setdefault(id[:end], []).append(id)
        self._groups: dict[str, list[str]] = {}

    def entry(self, caller: Document, entry: Mapping[str, Any], place: str) -> RuleContent:
        ids = [id for use in _uses(entry) for id in self._ids_of(use, caller, f"{place}.use")]
        return {**entry, "use": list(dict.fromkeys(ids))}

    def _ids_of(self, use: str, caller: Document, place: str) -> list[str]:
        """A rule, else a group of the project, else a shipped one."""
        if use in self._ids and use not in self._own:  # taken in from a group before
            return [use]
        exact = [use] if use in self._own else []
        group = self._own_groups.get(use, [])
        come = self._shipped(use)
        hits = {"a rule": exact, "a group": group, "a shipped group": come}
        if set(group) == set(come):  # the pack itself is what runs
            del hits["a group"]
        found = [name for name, ids in hits.items() if ids]
        if len(found) > 1:
            problem = f"{use!r} is {' and '.join(found)}"
            raise wrong(problem, place, caller.id, "Give one another name.", caller.path)
        if found:
            return hits[found[0]]
        known = [*self._own, *shipped.names()]
        problem = f"there is no rule and no group {use!r}"
        raise wrong(problem, place, caller.id, some_of(known, use), caller.path)

    def _shipped(self, use: str) -> list[str]:
        """The ids of a shipped group, whose rules are taken in."""
        if use in self._groups:
            return self._groups[use]
        found: list[str] = []
        for name, rules in read_shipped(use):
            self._groups.setdefault(name, [rule.id for rule in rules])
            found += self._groups[name]
            new = [rule for rule in rules if rule.id not in self._ids]
            self.documents += new
            self._ids |= {rule.id for rule in new}
        self._groups.setdefault(use, found)
        return found

    def check_bindings(self) -> None:
        """Raises for a binding that means nothing to the rule that is called, or to its caller."""
        by_id = {document.id: document.content for document in self.documents}
        passed: dict[str, set[str]] = {}
        for _caller, entry, _place in self._entries():
            for id in entry["use"]:
                passed.setdefault(id, set()).update(bound_names(entry))
        for caller, entry, place in self._entries():
            for name, capture in bound_names(entry).items():
                inner = f"{place}.with.{name}"
                own = names_of(caller.content, own=True) | passed.get(caller.id, set())
                if capture not in own:
                    hint = some_of(sorted(own), capture)
                    problem = f"the rule captures no ${capture}"
                    raise wrong(problem, inner, caller.id, hint, caller.path)
                known = {each for id in entry["use"] for each in names_of(by_id[id], own=False)}
                if name not in known:
                    hint = some_of(sorted(known), name)
                    called = ", ".join(entry["use"][:3])
                    problem = f"{called} has no ${name}"
                    raise wrong(problem, inner, caller.id, hint, caller.path)

    def _entries(self) -> Iterator[tuple[Document, RuleContent, str]]:
        for document in self.documents:
            for number, entry in enumerate(document.content.get("then", ())):
                yield document, entry, f"then[{number}]"


def read_shipped(use: str) -> Iterator[tuple[str, list[Document]]]:
    """The rules of each file of a shipped group; their ids begin with its name.

    Those without utilities have the ones of the first rule of their file.
    """
    for name, path in shipped.files(use):
        with open(path, "rb") as file:
            rules = read_rules(file.read(), name)
        common = {key: value for key, value in rules[0].content.items() if key == "utils"}
        yield name, [_within(name, rule, common) for rule in rules]


def _within(name: str, rule: Document, common: Mapping[str, Any]) -> Document:
    """A rule by its whole id; what it uses by an id alone is a rule of the same file."""
    content = {**common, **rule.content, "id": f"{name}/{rule.id}"}
    if "then" in content:
        content["then"] = [
            {**entry, "use": [use if "/" in use else f"{name}/{use}" for use in _uses(entry)]}
            for entry in content["then"]
        ]
    return replace(rule, id=content["id"], content=content)


def _uses(entry: Mapping[str, Any]) -> list[str]:
    return entry["use"] if isinstance(entry["use"], list) else [entry["use"]]


def pack_rules(name: str) -> list[Document]:
    """The rules of a shipped pack; those of one that only waits to be called run by themselves."""
    rules = [rule for _, some in read_shipped(name) for rule in some]
    if not rules:
        hint = f"Shipped: {', '.join(shipped.names())}."
        raise RequestError(f"There is no pack {name!r}.", hint=hint, code="no_pack")
    if not all(is_triggered(rule.content) for rule in rules):
        return rules
    called = {  # by its own id, and not as one of a group
        use for rule in rules for entry in rule.content.get("then", ()) for use in entry["use"]
    }
    seeds = {rule.id: {**rule.content, "when": "always"} for rule in rules if rule.id not in called}
    return [replace(rule, content=seeds.get(rule.id, rule.content)) for rule in rules]


def rows(rules: Sequence[RuleContent]) -> list[RuleContent]:
    """The graph as plain data: each rule, whether it is a seed, and what it calls where."""
    return [
        {
            "id": rule["id"],
            "when": "triggered" if is_triggered(rule) else "always",
            "fixes": "fix" in rule or "edits" in rule,
            "then": [
                {"use": entry["use"], "in": entry["in"], "with": entry.get("with", {})}
                for entry in rule.get("then", ())
            ],
        }
        for rule in rules
    ]


def as_text(rules: Sequence[RuleContent]) -> Iterator[str]:
    """A line for each rule, and one for each that it calls."""
    for row in rows(rules):
        kind = "seed" if row["when"] == "always" else "triggered"
        yield f"{row['id']} ({kind}{'' if row['fixes'] else ', only causes'})"
        for entry in row["then"]:
            bound = ", ".join(f"{name} = {value}" for name, value in entry["with"].items())
            tail = f" with {bound}" if bound else ""
            for id in entry["use"]:
                yield f"  -> {id} in {entry['in']}{tail}"


def as_dot(rules: Sequence[RuleContent]) -> Iterator[str]:
    """The graph for Graphviz."""
    yield "digraph cascade {"
    for row in rows(rules):
        shape = "box" if row["when"] == "always" else "ellipse"
        yield f"  {dumps(row['id'])} [shape={shape}];"
        for entry in row["then"]:
            for id in entry["use"]:
                yield f"  {dumps(row['id'])} -> {dumps(id)} [label={dumps(entry['in'])}];"
    yield "}"
