"""Code that a project says is inside other code: its `languageInjections`. (rule D1)"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tree_sitter import Node

from astedit.embedded.part import Part, piece
from astedit.engine.imports import provided
from astedit.language import Grammar, GrammarUnavailable, Row, load, named
from astedit.model.request import EditRequest
from astedit.rule.document import op_document
from astedit.rule.match.find import RuleFinder, compile_document
from astedit.rule.names import Names

_RULE = ("rule", "constraints", "utils", "transform")
_BOM = b"\xef\xbb\xbf"


class Injections:
    """The injections of a request, compiled; those whose host has no grammar do nothing."""

    def __init__(self, request: EditRequest, names: str = "") -> None:
        """Raises `RuleError` for a rule that is wrong; `names` is what `provided` takes."""
        resolver = provided(names)
        self._of: dict[str, list[_Injection]] = {}
        for at, raw in enumerate(request.injections):
            host = named(raw["hostLanguage"])
            assert host is not None, raw
            try:
                grammar = load(host)
            except GrammarUnavailable:
                continue
            self._of.setdefault(host.name, []).append(_Injection(at, raw, host, grammar, resolver))

    def parts(
        self, host: Row, raw: bytes, languages: Collection[str], taken: Collection[Part]
    ) -> Iterator[Part]:
        """The code in a UTF-8 file that is in one of these languages, in no part of `taken`."""
        ends = [(part.start(0), part.end(len(part.text))) for part in taken]
        for injection in self._of.get(host.name, ()):
            for row, start, end in injection.places(raw):
                if row.name in languages and not any(a < end and start < b for a, b in ends):
                    ends.append((start, end))
                    yield piece(row, raw, start, end)


class _Injection:
    def __init__(
        self, at: int, raw: Mapping[str, Any], host: Row, grammar: Grammar, resolver: Names | None
    ) -> None:
        content = {key: raw[key] for key in _RULE if key in raw}
        document = op_document({"id": f"languageInjections[{at}]", **content})
        self._grammar = grammar
        self._finder: RuleFinder = compile_document(document, host, None, resolver)
        injected = raw["injected"]
        self._default = named(injected) if isinstance(injected, str) else None
        names = [injected] if isinstance(injected, str) else injected
        self._rows = {row.name: row for name in names if (row := named(name)) is not None}

    def places(self, raw: bytes) -> Iterator[tuple[Row, int, int]]:
        if not self._finder.may_match(raw):
            return
        text = b"   " + raw[3:] if raw.startswith(_BOM) else raw
        tree = self._grammar.parser().parse(text)
        for match in self._finder.find(tree.root_node, text):
            content, row = match.single.get("CONTENT"), self._row(match.single.get("LANG"))
            if content is not None and row is not None and content.start_byte < content.end_byte:
                yield row, content.start_byte, content.end_byte

    def _row(self, captured: Node | None) -> Row | None:
        if captured is None:
            return self._default
        row = named((captured.text or b"").decode("utf-8", "replace"))
        return row if row is not None and row.name in self._rows else None
