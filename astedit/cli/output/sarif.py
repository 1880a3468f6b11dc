"""Findings as SARIF 2.1.0, with fixes: what code scanning services read."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from astedit.cli.output import streams
from astedit.cli.output.formats import About, FindingJson, LineRange, Whole, region, replacement
from astedit.rule import Document
from astedit.version import __version__

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits
    from astedit.testing.baseline import Key

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note", "hint": "note", "off": "none"}
_OF_ADDRESSES = "%:/?#@!$&'()*+,;=~-._"  # the rest is written in hexadecimal digits
SarifObject = dict[str, Any]


class Format(Whole):
    """One SARIF document, with a description of each rule."""

    def show(self, hits: "Hits", about: About) -> None:
        """Writes the document to stdout."""
        streams.document(as_sarif(self.findings(hits), about.rules, about.absent))


def as_sarif(
    findings: Iterable[FindingJson], rules: Sequence[Document] = (), absent: "Sequence[Key]" = ()
) -> SarifObject:
    """One SARIF log with one run.

    The `file` of a finding is relative to the root, or absolute. `rules` are described in
    the run; a finding of another rule only names it. What is `absent` from the findings of
    a baseline is a result by itself.
    """
    each = {rule.id: rule for rule in rules}  # rule files may name two alike
    places = {id: index for index, id in enumerate(each)}
    driver = {
        "name": "astedit",
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in each.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(_result(finding, places) for finding in findings),
            *(_absent(key, places) for key in absent),
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Document) -> SarifObject:
    """What GitHub requires of a rule, and what else is known of it."""
    content = rule.content
    configuration: SarifObject = {"level": _LEVELS[rule.severity]}
    if rule.severity == "off":
        configuration["enabled"] = False
    message = _safe(content.get("message") or rule.id)
    note = _safe(content.get("note") or message)
    made: SarifObject = {
        "id": rule.id,
        "shortDescription": {"text": message},
        "fullDescription": {"text": message},
        "help": {"text": note, "markdown": note},
        "defaultConfiguration": configuration,
    }
    if content.get("url", "").startswith(("https://", "http://")):
        made["helpUri"] = quote(_safe(content["url"]), safe=_OF_ADDRESSES)
    return made


def _result(finding: FindingJson, places: dict[str, int]) -> SarifObject:
    id = finding["ruleId"]
    result: SarifObject = {
        "ruleId": id,
        "level": _LEVELS[finding["severity"]],
        "message": {"text": _safe(finding["message"] or id)},
        "locations": [{"physicalLocation": _place(finding, finding["range"], finding["text"])}],
    }
    if id in places:
        result["ruleIndex"] = places[id]
    if "baselineState" in finding:
        result["baselineState"] = finding["baselineState"]
    related = [_label(finding, one) for one in finding.get("labels", ()) if one.get("message")]
    if related:
        result["relatedLocations"] = related
    if (fix := _fix(finding)) is not None:
        result["fixes"] = [fix]
        if comments := [_safe(one["text"]) for one in finding.get("droppedComments", ())]:
            result["properties"] = {"droppedComments": comments}
    return result


def _absent(key: "Key", places: dict[str, int]) -> SarifObject:
    result: SarifObject = {
        "ruleId": key.rule,
        "level": "none",
        "kind": "pass",
        "baselineState": "absent",
        "message": {"text": f"Fixed: {_safe(key.text)}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(key.file)}}],
    }
    return result | ({"ruleIndex": places[key.rule]} if key.rule in places else {})


def _place(finding: FindingJson, span: SarifObject, text: str) -> SarifObject:
    offsets = span["byteOffset"]
    where = _region(region(span), offsets["start"], offsets["end"])
    return {
        "artifactLocation": _artifact(finding["file"]),
        "region": {**where, "snippet": {"text": _safe(text)}},
    }


def _label(finding: FindingJson, label: SarifObject) -> SarifObject:
    place = _place(finding, label["range"], label["text"])
    return {"physicalLocation": place, "message": {"text": _safe(label["message"])}}


def _fix(finding: FindingJson) -> SarifObject | None:
    if (fix := replacement(finding)) is None:
        return None
    change = {
        "deletedRegion": _region(fix.region, fix.start, fix.end),
        "insertedContent": {"text": fix.text},
    }
    location = _artifact(finding["file"])
    return {
        "description": {"text": f"Fix of {finding['ruleId']}"},
        "artifactChanges": [{"artifactLocation": location, "replacements": [change]}],
    }


def _region(where: LineRange | None, start: int, end: int) -> SarifObject:
    found: SarifObject = {"byteOffset": start, "byteLength": end - start}
    if where is not None:
        found |= {"startLine": where.line, "startColumn": where.column}
        found |= {"endLine": where.end_line, "endColumn": where.end_column}
    return found


def _artifact(path: str) -> SarifObject:
    address = quote(os.fsencode(path), safe="/")
    if path.startswith("/"):
        return {"uri": f"file://{address}"}
    return {"uri": address, "uriBaseId": "%SRCROOT%"}


def _safe(text: str) -> str:
    """Without lone surrogates, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()
