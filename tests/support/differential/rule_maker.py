"""Rules made by chance of everything the language has, such that ast-grep accepts them."""

from random import Random
from typing import Any

from tests.support.cases import tree

Raw = dict[str, Any]
SOURCE = tree("rule-maker")["source.js"]
_KINDS = """\
call_expression identifier number arguments array return_statement if_statement statement_block
binary_expression lexical_declaration variable_declarator member_expression string comment
formal_parameters class_body method_definition expression_statement object pair program
function_declaration arrow_function assignment_expression property_identifier"""
KINDS = _KINDS.split()
PATTERNS = (
    *("foo($A, $B)", "foo($$$ARGS)", "$F($$$ARGS)", "$A = $B", "return $A", "return", "$A + $B"),
    *("$O.$P", "const $A = $B", "[$$$X]", "if ($C) { $$$T }", "$A", "new $K($$$Y)", "x", "1"),
    *("console.log($A, $B)", "foo($A, $A)", "throw $E", "($A) => $B", "$A + $A", "this.$F"),
    *("await $W", "{ $$$S }", "$A > $B"),
)
_FIELDS = "function arguments name body object property left right condition value key"
FIELDS = _FIELDS.split()
EXPRESSIONS = ("^foo", "x", "[0-9]+", "^.$", "a|b", "return", "^$", "o+")
POSITIONS = (1, 2, "2n+1", "-n+2", {"position": 1, "reverse": True})
_CASES = "lowerCase upperCase capitalize camelCase snakeCase kebabCase pascalCase"
CASES = _CASES.split()
REWRITERS = [
    {"id": "w1", "rule": {"kind": "number"}, "fix": "NUM"},
    {"id": "w2", "rule": {"pattern": "foo($Q)"}, "fix": "bar($Q)"},
]
# Captures that are always one node, or always several: any other use is refused here (F3).
SINGLE, MANY = ("A", "B", "F", "O", "P", "C", "K", "E", "W"), ("ARGS", "X", "T", "Y", "S")


class Maker:
    """Rules of one seed."""

    def __init__(self, seed: int) -> None:
        self._by = Random(seed)

    def document(self, id: str) -> Raw:
        rule = self.rule()
        while not _bound(rule):  # ast-grep wants to know the kinds
            rule = self.rule()
        made: Raw = {"id": id, "language": "js", "rule": rule, "utils": {"u": self._utility()}}
        made["rewriters"] = REWRITERS
        if names := sorted(_captured(rule)):
            made["message"] = " ".join(names)
            made["transform"] = {f"T{at}": self._transform(names) for at in range(3)}
        return made

    def rule(self, depth: int = 0) -> Raw:
        made = self._first(depth)
        if self._may(0.12):
            made["regex"] = self._one(EXPRESSIONS)
        if self._may(0.1):
            made["nthChild"] = self._one((*POSITIONS, {"position": 2, "ofRule": self._atom()}))
        if depth < 3:
            for key in ("inside", "has", "precedes", "follows"):
                if self._may(0.22):
                    made[key] = self._relation(key, depth)
            if self._may(0.15):
                made["not"] = self._inner(depth)
            if self._may(0.08):
                made["matches"] = "u"
        return made

    def _first(self, depth: int) -> Raw:
        chance = self._by.random()
        if chance < 0.35:
            return {"pattern": self._one(PATTERNS)}
        if chance < 0.65:
            return {"kind": self._one(KINDS)}
        if chance < 0.75:
            return {"kind": self._selector()}
        count = self._by.randrange(1, 4)
        return {"any" if chance < 0.85 else "all": [self._inner(depth) for _ in range(count)]}

    def _inner(self, depth: int) -> Raw:
        return self.rule(depth + 1) if depth < 2 else self._atom()

    def _relation(self, key: str, depth: int) -> Raw:
        made = self.rule(depth + 1) if self._may(0.5) else self._atom()
        stop = self._one((None, "end", "end", "neighbor", self._atom()))
        if stop is not None:
            made = {**made, "stopBy": stop}
        by_rule = key == "has" and isinstance(stop, dict)  # differs on purpose (R5)
        if key in ("inside", "has") and not by_rule and self._may(0.25):
            made["field"] = self._one(FIELDS)
        return made

    def _atom(self) -> Raw:
        if self._may(0.4):
            return {"pattern": self._one(PATTERNS)}
        made = {"kind": self._one(KINDS)}
        return made if self._may(0.75) else {**made, "regex": self._one(EXPRESSIONS)}

    def _utility(self) -> Raw:
        each = (self._atom(), {"any": [self._atom(), self._atom()]})
        made: Raw = self._one((*each, {"has": {**self._atom(), "stopBy": "end"}}))
        return made

    def _selector(self) -> str:
        one, two = str(self._one(KINDS)), str(self._one(KINDS))
        forms = (" > ", " ", " + ", " ~ ", ":has({})", ":has(> {})", ":not({})", ", ")
        form: str = self._one(
            (*forms, ":nth-child(2)", ":nth-child(-n+2)", ":nth-last-child(1 of {})")
        )
        return one + (form.format(two) if form.startswith(":") else form + two)

    def _transform(self, names: list[str]) -> Raw:
        source = self._one(names)
        some = {"startChar": self._by.randrange(-4, 5), "endChar": self._by.randrange(-4, 6)}
        made: Raw = self._one(
            (
                {"substring": {"source": source, **some}},
                {"replace": {"source": source, "replace": "([a-z])", "by": "[$1]"}},
                {"replace": {"source": source, "replace": "\\b", "by": "$$"}},
                {"convert": {"source": source, "toCase": self._one(CASES)}},
                {"rewrite": {"source": source, "rewriters": ["w1", "w2"]}},
            )
        )
        return made

    def _one(self, choices: Any) -> Any:
        return self._by.choice(choices)

    def _may(self, chance: float) -> bool:
        return self._by.random() < chance


def _bound(rule: Raw) -> bool:
    """Whether the kinds of a match are known."""
    if "kind" in rule or rule.get("pattern", "$A") != "$A":
        return True
    every, some = rule.get("all", ()), rule.get("any", ())
    return any(map(_bound, every)) or (bool(some) and all(map(_bound, some)))


def _captured(rule: Any) -> set[str]:
    """The captures, with their sigils, that a rule may bind."""
    if isinstance(rule, list):
        return set().union(*map(_captured, rule))
    if not isinstance(rule, dict):
        return set()
    found = set().union(
        *(_captured(one) for key, one in rule.items() if key not in ("not", "stopBy"))
    )
    text = rule.get("pattern", "")
    found |= {f"${name}" for name in SINGLE if f"${name}" in text and f"$${name}" not in text}
    return found | {f"$$${name}" for name in MANY if f"$$${name}" in text}
