"""SARIF, annotations and suggestions, from findings as ast-grep's JSON has them."""

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from astedit.cli.output import formats, matches
from astedit.cli.output.formats import LineRange, replacement
from astedit.cli.output.github import lines
from astedit.cli.output.github_review import review
from astedit.cli.output.sarif import as_sarif
from astedit.engine.run.search import Hits
from astedit.rule import read_rules
from tests.support.cases import tree

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
RULE = tree("cli-formats")["rule.yml"]
SOURCE = 'é = "a"; x(1);\n\nif (a) { x(é,\n  2) }\n x(`\n`);'


def findings(folder: Path, rule: str = RULE, source: str = SOURCE) -> list[dict[str, Any]]:
    """What ast-grep itself finds."""
    (folder / "a.js").write_bytes(source.encode())
    command = [str(AST_GREP), "scan", "--json", "--inline-rules", rule, "a.js"]
    shown = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    found: list[dict[str, Any]] = json.loads(shown)
    return found


def finding(**changes: Any) -> dict[str, Any]:
    """The one finding of `x(1)` in `é = x(1);`, as line 8 of a file, but for `changes`."""
    span = {"start": {"line": 7, "column": 4}, "end": {"line": 7, "column": 8}}
    return {
        "text": "x(1)",
        "range": {"byteOffset": {"start": 105, "end": 109}, **span},
        "file": "a.js",
        "lines": "é = x(1);",
        "charCount": {"leading": 4, "trailing": 1},
        "replacement": "y(1)",
        "replacementOffsets": {"start": 105, "end": 110},
        "ruleId": "no-x",
        "severity": "warning",
        "note": None,
        "message": "Found 1",
        "labels": [],
    } | changes


def test_a_replacement_knows_its_lines() -> None:
    fix = replacement(finding())
    assert fix is not None
    assert fix.region == LineRange(8, 5, 8, 10)
    assert fix.whole == "é = y(1)"


@pytest.mark.parametrize(
    "changes",
    [
        {"replacementOffsets": {"start": 99, "end": 110}},  # on the line before
        {"replacementOffsets": {"start": 105, "end": 111}},  # on the line after
        {"lines": "\udce9 = x(1);"},  # latin-1, shown lossily
        {"lines": "ä€ = x(1);"},  # offsets of another encoding
    ],
)
def test_bytes_elsewhere_have_no_lines(changes: dict[str, Any]) -> None:
    fix = replacement(finding(**changes))
    assert fix is not None
    assert (fix.region, fix.whole) == (None, None)


@pytest.mark.parametrize("changes", [{"replacement": None}, {"blocked": {"reason": "loss"}},
                                     {"replacement": "\udce9"}])  # fmt: skip
def test_no_fix_is_offered_that_would_not_be_made(changes: dict[str, Any]) -> None:
    one = finding(**changes)
    assert replacement(one) is None
    assert "fixes" not in as_sarif([one])["runs"][0]["results"][0]
    assert "suggestion" not in review([one])["comments"][0]["body"]


def test_regions_agree_with_the_source(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert len(found) == 2
    for one in found:
        fix = replacement(one)
        assert fix is not None
        assert fix.region is not None
        before = SOURCE.encode()[: fix.start].decode()
        after = SOURCE.encode()[: fix.end].decode()
        assert fix.region == LineRange(*place(before), *place(after))
        assert fix.whole is not None
        assert fix.text in fix.whole


def place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def test_sarif_has_what_a_scanning_service_needs(tmp_path: Path) -> None:
    rules = read_rules(RULE.encode())
    log = as_sarif(findings(tmp_path), rules)
    check_sarif(log)
    (run,) = log["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://example.org/x"
    assert rule["defaultConfiguration"] == {"level": "warning"}
    result = run["results"][0]
    assert result["message"] == {"text": "Found 1"}
    where = result["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "a.js", "uriBaseId": "%SRCROOT%"}
    assert where["region"] == {
        "byteOffset": 10, "byteLength": 4, "startLine": 1, "startColumn": 10,
        "endLine": 1, "endColumn": 14, "snippet": {"text": "x(1)"},
    }  # fmt: skip
    (change,) = result["fixes"][0]["artifactChanges"]
    (edit,) = change["replacements"]
    assert edit["insertedContent"] == {"text": "y(1)"}
    assert edit["deletedRegion"] == {
        "byteOffset": 10, "byteLength": 5, "startLine": 1, "startColumn": 10,
        "endLine": 1, "endColumn": 15,
    }  # fmt: skip


def test_comments_that_a_fix_drops_are_shown() -> None:
    dropping = finding(droppedComments=[{"text": "// why\n"}])
    (result,) = as_sarif([dropping])["runs"][0]["results"]
    assert result["properties"] == {"droppedComments": ["// why\n"]}
    shown = formats.format_of("text", []).of(Hits(), "a.js", [dropping])
    assert b"  the fix drops a comment: // why\\n\n" in shown


def test_sarif_rules_have_what_github_requires() -> None:
    text = "id: a\nlanguage: js\nseverity: off\nrule: {kind: number}\n"
    rules = read_rules(f"{text}---\n{text}---\n{RULE.replace('/x', '/x y<')}".encode())
    bare, full = as_sarif([], rules)["runs"][0]["tool"]["driver"]["rules"]
    assert bare["defaultConfiguration"] == {"level": "none", "enabled": False}
    for key in ("shortDescription", "fullDescription", "help"):
        assert bare[key]["text"] == "a"
    assert full["shortDescription"] == full["fullDescription"] == {"text": "Found $A"}
    assert (full["help"]["text"], full["helpUri"]) == ("Use y.", "https://example.org/x%20y%3C")


def check_sarif(log: dict[str, Any]) -> None:
    """The main constraints of the schema: required keys, enumerations, least values."""
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(set(ids)) == len(ids)
        for result in run["results"]:
            assert result["message"]["text"]
            assert result["level"] in ("none", "note", "warning", "error")
            if "ruleIndex" in result:
                assert ids[result["ruleIndex"]] == result["ruleId"]
            for location in result["locations"] + result.get("relatedLocations", []):
                check_region(location["physicalLocation"]["region"])
            for fix in result.get("fixes", []):
                for change in fix["artifactChanges"]:
                    assert change["artifactLocation"]["uri"]
                    for edit in change["replacements"]:
                        check_region(edit["deletedRegion"])


def check_region(region: dict[str, Any]) -> None:
    assert region["byteOffset"] >= 0
    assert region["byteLength"] >= 0
    if "startLine" in region:
        begin = region["startLine"], region["startColumn"]
        assert (1, 1) <= begin <= (region["endLine"], region["endColumn"])


def test_messages_of_labels_are_related_places() -> None:
    label = {"text": "1", "style": "secondary", "message": "this", "range": finding()["range"]}
    (result,) = as_sarif([finding(labels=[label, {**label, "message": None}])])["runs"][0][
        "results"
    ]
    (related,) = result["relatedLocations"]
    assert related["message"] == {"text": "this"}


HOSTILE = [
    "a b.js",
    "a,line=9::x.js",
    "a\n::error::x.js",
    "a%0A.js",
    "c:d.js",
    "\udce9\r.js",
    "🙂.js",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_file_name_survives_in_an_address(name: str) -> None:
    place = as_sarif([finding(file=name)])["runs"][0]["results"][0]["locations"][0]
    address = place["physicalLocation"]["artifactLocation"]["uri"]
    assert address.isascii()
    assert not set(address) & set(" :,\n\r")
    assert unquote_to_bytes(address) == name.encode("utf-8", "surrogateescape")


def test_an_absolute_name_is_a_file_address() -> None:
    place = as_sarif([finding(file="/a/b c.js")])["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "file:///a/b%20c.js"}


@pytest.mark.parametrize("text", [*HOSTILE, "x\n::set-output name=a::b", "a::b", "%25"])
def test_nothing_leaves_its_field_of_an_annotation(text: str) -> None:
    (line,) = lines([finding(file=text, message=text, ruleId=text)])
    assert "\n" not in line
    assert "\r" not in line
    head, _, message = line.removeprefix("::").partition("::")
    assert unescaped(message) == text
    fields = dict(field.split("=", 1) for field in head.removeprefix("warning ").split(","))
    assert (unescaped(fields["file"]), unescaped(fields["title"])) == (text, text)
    assert (fields["line"], fields["endLine"], fields["col"]) == ("8", "8", "5")


def unescaped(text: str) -> str:
    """What the runner does."""
    for escape, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def test_severities_are_levels_of_annotations() -> None:
    found = [finding(severity=one) for one in ("error", "warning", "info", "hint", "off")]
    assert [line.split()[0] for line in lines(found)] == [
        "::error", "::warning", "::notice", "::notice",
    ]  # fmt: skip


def test_several_lines_have_no_columns(tmp_path: Path) -> None:
    (_, line) = lines(findings(tmp_path))
    assert line.startswith("::warning file=a.js,line=5,endLine=6,title=no-x::Found")


def test_an_empty_message_is_the_id() -> None:
    assert next(lines([finding(message="")])).endswith("::no-x")
    assert as_sarif([finding(message="")])["runs"][0]["results"][0]["message"]["text"] == "no-x"


def test_a_suggestion_replaces_whole_lines(tmp_path: Path) -> None:
    first, second = review(findings(tmp_path))["comments"]
    assert first == {
        "path": "a.js", "side": "RIGHT", "line": 1,
        "body": '**no-x** Found 1\n\n```suggestion\né = "a"; y(1)\n```',
    }  # fmt: skip
    assert (second["start_line"], second["line"], second["start_side"]) == (5, 6, "RIGHT")
    assert "suggestion\n y(`\n `)\n" in second["body"]


def test_a_review_speaks_only_of_lines_that_are_shown() -> None:
    span = {"start": {"line": 6, "column": 0}, "end": {"line": 7, "column": 1}}
    several = finding(range={"byteOffset": {"start": 105, "end": 109}, **span}, replacement=None)
    found = [finding(), several, finding(file="b.js")]
    made = review(found, {"a.js": [range(2, 4), range(8, 9)]})
    assert [one["path"] for one in made["comments"]] == ["a.js"]
    said = "astedit: 3 findings, 2 of them in lines that this pull request does not show."
    assert (made["event"], made["body"]) == ("COMMENT", said)
    assert review(found[:1])["body"] == "astedit: 1 finding."


def test_lines_take_one_suggestion() -> None:
    first, second = review([finding(), finding(ruleId="other")])["comments"]
    assert "suggestion" in first["body"]
    assert "suggestion" not in second["body"]


def test_code_and_messages_cannot_break_the_fence() -> None:
    forged = "```suggestion\nevil()\n```"
    (comment,) = review([finding(replacement="y(`````)", message=forged)])["comments"]
    body = comment["body"]
    assert "``````suggestion\né = y(`````)\n``````" in body
    assert "```suggestion\nevil" not in body


def test_every_format_is_one_row_and_one_file() -> None:
    folder = Path(formats.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "\nclass Format" in path.read_text()}
    assert files - {"formats"} == {row.replace("-", "_") for row in formats.FORMATS}


EMPTY = {"text": b"", "json": b"[]\n", "pretty": b"[]\n", "stream": b"", "compact": b"[]\n"}


@pytest.mark.parametrize("style", [*formats.FORMATS, *matches.JSON_FORMS])
def test_a_format_prints_what_a_run_without_findings_is(style: str, capsysbinary: Any) -> None:
    formats.format_of(style, []).show(Hits(), formats.About())
    printed = capsysbinary.readouterr().out
    if style in ("sarif", "github-review"):
        assert isinstance(json.loads(printed), dict)
    else:
        assert printed == EMPTY.get(style, b"")


def test_a_style_that_is_no_row_is_not_imported() -> None:
    with pytest.raises(KeyError):
        formats.format_of("streams", [])
