"""The selector language of `kind`, after CSS. (rule A2)

list     = complex { "," complex } [ "," ]
complex  = compound { (" " | ">" | "+" | "~") compound }
compound = [ KIND ] { ":has(" [">"] complex ")" | ":not(" complex ")" | ":is(" list ")"
           | ":nth-child(" An+B [ "of " complex ] ")" | ":nth-last-child(" … ")" }
"""

import re
from collections.abc import Callable

from astedit.pattern.compile import ERROR_KIND
from astedit.rule.atomic import Kind, NthChild
from astedit.rule.composite import All, Any, Not
from astedit.rule.node import Rule
from astedit.rule.position import parse_position
from astedit.rule.relational import END, NEIGHBOR, Follows, Has, Inside

_NAME = re.compile(r"[A-Za-z_-][A-Za-z0-9_-]*")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+(?![\s),]|$)")
_POSITION = re.compile(r"[0-9nN+\- ]*")
_SPACE = re.compile(r"\s*")
_PSEUDO = ("has", "not", "is", "nth-child", "nth-last-child")
_MAX_DEPTH = 40

KindOf = Callable[[str], Kind | None]


def parse_selector(text: str, kind_of: KindOf) -> Rule:
    """Compiles a selector; raises ValueError with what is wrong and at which character."""
    return _Parser(text, kind_of).whole()


class _Parser:
    def __init__(self, text: str, kind_of: KindOf) -> None:
        self._text = text.rstrip()
        self._kind_of = kind_of
        self._at = 0
        self._depth = 0

    def whole(self) -> Rule:
        self._skip()
        rule = self._list()
        if self._at < len(self._text):
            raise self._unexpected()
        return rule

    def _list(self) -> Rule:
        rules = [self._complex()]
        while self._take(","):
            if self._at == len(self._text) or self._peek() == ")":
                break
            rules.append(self._complex())
        return rules[0] if len(rules) == 1 else Any(rules)

    def _complex(self) -> Rule:
        rule = self._compound()
        while found := _COMBINATOR.match(self._text, self._at):
            self._at = found.end()
            rule = All([self._compound(), _related(found[1], rule)])
        return rule

    def _compound(self) -> Rule:
        rules: list[Rule] = []
        if name := _NAME.match(self._text, self._at):
            rules.append(self._kind(name[0]))
            self._at = name.end()
        while self._peek() in (":", "."):
            if self._peek() == ".":
                raise self._error("fields and classes ('.') are reserved")
            rules.append(self._pseudo())
        if not rules:
            raise self._unexpected()
        return rules[0] if len(rules) == 1 else All(rules)

    def _kind(self, name: str) -> Rule:
        kind = Kind(ERROR_KIND) if name == "ERROR" else self._kind_of(name)
        if kind is None:
            raise self._error(f"there is no node kind {name!r}")
        return kind

    def _pseudo(self) -> Rule:
        name = _NAME.match(self._text, self._at + 1)
        if name is None or name[0] not in _PSEUDO:
            raise self._error(f"unknown pseudo-class; one of :{', :'.join(_PSEUDO)}")
        self._at = name.end()
        if not self._take("("):
            raise self._error("'(' expected")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"nested deeper than {_MAX_DEPTH} levels")
        rule = self._argument(name[0])
        self._depth -= 1
        self._skip()
        if self._peek() != ")":
            raise self._error("')' expected")
        self._at += 1
        return rule

    def _argument(self, name: str) -> Rule:
        if name == "is":
            return self._list()
        if name == "not":
            return Not(self._complex())
        if name == "has":
            direct = self._take(">")
            return Has(self._complex(), NEIGHBOR if direct else END)
        return self._nth(reverse=name == "nth-last-child")

    def _nth(self, reverse: bool) -> Rule:
        found = _POSITION.match(self._text, self._at)
        assert found is not None
        try:
            position = parse_position(found[0])
        except ValueError as error:
            raise self._error(str(error)) from error
        self._at = found.end()
        of = None
        if name := _NAME.match(self._text, self._at):
            if name[0] != "of":
                raise self._unexpected()
            self._at = name.end()
            self._skip()
            of = self._complex()
        return NthChild(position, of, reverse)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _take(self, token: str) -> bool:
        """Takes a token with the space around it."""
        found = re.compile(rf"\s*{re.escape(token)}\s*").match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _unexpected(self) -> ValueError:
        what = repr(self._peek()) if self._peek() else "the end"
        return self._error(f"a selector expected, not {what}")

    def _error(self, problem: str) -> ValueError:
        return ValueError(f"{problem} (character {self._at + 1} of {self._text!r})")


def _related(combinator: str | None, left: Rule) -> Rule:
    """The rule that the node on the right must match."""
    if combinator == ">":
        return Inside(left)
    if combinator is None:
        return Inside(left, END)
    return Follows(left, NEIGHBOR if combinator == "+" else END)
