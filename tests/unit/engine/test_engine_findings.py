"""What a finding says: message, note, labels, fixes, severity, by the rule's id."""

from pathlib import Path

import pytest

import astedit
from astedit.engine.files import matches
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import FileData
from astedit.engine.request import request_of
from astedit.rule import RuleError
from astedit.workspace.root import Workspace
from tests.support.lists import rows
from tests.support.rule_plans import F, fixed, found, plan

ROWS = rows(Path(__file__).with_suffix(".txt"))


def test_g2_message_note_labels() -> None:
    rule = (
        "rule: {pattern: 'f($A, $B)'}\n"
        "transform: {N: {replace: {source: $A, replace: '1', by: x}}}\n"
        "message: '$A is $N, not $C'\nnote: '$A stays'\nseverity: error\nurl: u\nmetadata: {k: 1}\n"
        "labels: {A: {style: primary, message: here}, B: {style: secondary}}"
    )
    (item,) = found(rule, "f(1, 2)")
    assert item["message"] == "1 is x, not $C"
    assert (item["note"], item["severity"]) == ("$A stays", "error")
    assert (item["url"], item["metadata"]) == ("u", {"k": 1})
    labels = [(one["text"], one["style"], one.get("message")) for one in item["labels"]]
    assert labels == [("1", "primary", "here"), ("2", "secondary", None)]
    (item,) = found("rule: {pattern: f($A)}\nconstraints: {A: {has: {kind: number}}}", "f(-1)")
    assert [one["text"] for one in item["labels"]] == ["f(-1)", "1"]


def test_g2_a_capture_of_several_lines_is_moved_in_a_message() -> None:
    rule = F + "message: 'see $A'"
    (item,) = found(rule, "if (x) {\n    f([\n      1,\n    ])\n}")
    assert item["message"] == "see [\n      1,\n    ]"
    (item,) = found(rule, "x = {\n  y: f(\n    [\n      1,\n    ])}")
    assert item["message"] == "see [\n    1,\n  ]"
    (item,) = found(F + "message: |-\n  costs $5\n    more", "if (x) {\n  f(1)\n}")
    assert item["message"] == "costs $5\n  more"


def test_g2_captures_in_a_message_move_by_its_own_lines_only() -> None:
    (item,) = found("rule: {pattern: 'f($A, $B)'}\nmessage: '$A $B $A'", "f([\n  1], [\n    2])")
    assert item["message"] == "[\n  1] [\n  2] [\n  1]"


NO_TARGET = "edits: [{target: $B, template: x}]"


@pytest.mark.parametrize(
    ("fix", "titles"),
    [
        (NO_TARGET, None),
        ("fix: [{title: one, " + NO_TARGET + "}, {title: two, template: z}]", None),
        ("fix: [{title: one, template: z}, {title: two, " + NO_TARGET + "}]", ["one"]),
    ],
)
def test_f11_a_finding_of_which_an_edit_has_no_target_has_no_fix(
    fix: str, titles: list[str] | None
) -> None:
    (item,) = found("rule: {any: [{pattern: f($A)}, {pattern: g($B)}]}\n" + fix, "f(1)")
    assert ("replacement" in item) == (titles is not None)
    assert [one["title"] for one in item.get("fixes", ())] == (titles or [])


@pytest.mark.parametrize(("rule", "after"), ROWS["twice"])
def test_f3_a_name_of_one_node_and_of_many_is_right_with_either_sigil(
    rule: str, after: str
) -> None:
    assert fixed(rule, "f(2)") == after


def test_f3_a_name_of_one_node_only_is_not() -> None:
    with pytest.raises(RuleError, match=r"captures \$A"):
        plan("rule: {pattern: f($A), not: {pattern: f($A)}}\nfix: g($$$A)", "f(2)")


def test_g2_a_label_of_many_nodes_is_one() -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nlabels: {A: {style: primary, message: these}}"
    one, none = found(rule, "f(1, /* c */\n 2); f()")
    (label,) = one["labels"]
    assert (label["text"], label["message"]) == ("1, /* c */\n 2", "these")
    assert label["range"]["byteOffset"] == {"start": 2, "end": 15}
    assert label["range"]["end"] == {"line": 1, "column": 2}
    assert none["labels"] == []


@pytest.mark.parametrize(("labels", "place"), ROWS["labels are of captures"])
def test_g2_labels_are_of_captures(labels: str, place: str) -> None:
    rule = F + "transform: {N: 'replace($A, replace=a, by=b)'}\nlabels: " + labels
    with pytest.raises(RuleError) as raised:
        found(rule, "f(1)")
    assert raised.value.place == place


def test_f13_a_finding_lists_the_comments_that_its_fix_drops() -> None:
    (item,) = found("rule: {pattern: 'f($A, $B)'}\nfix: g($B)", "f([ /* é */ ], 2) /* stays */")
    (comment,) = item["droppedComments"]
    assert comment["text"] == "/* é */"
    assert comment["range"]["start"] == {"line": 0, "column": 4}
    (item,) = found("rule: {pattern: 'f($A, $B)'}\nfix: g($B, $A)", "f([ /* é */ ], 2)")
    assert "droppedComments" not in item


def test_g2_severity_off_is_silent() -> None:
    assert found(F + "severity: off", "f(1)") == []
    assert fixed(F + "severity: off\nfix: g($A)", "f(1)") == "f(1)"


def test_g4_a_rule_in_several_languages_is_compiled_for_each() -> None:
    rule = "id: r\nlanguage: [ts, tsx]\nrule: {pattern: f($A)}\nfix: g($A)"
    assert fixed(rule, "f(1 as number)", "ts") == "g(1 as number)"
    assert fixed(rule, "f(<b/>)", "tsx") == "g(<b/>)"


def test_c4_a_name_of_one_alternative_warns_and_is_refused_strictly() -> None:
    rule = "rule: {any: [{pattern: 'f($A, $C)'}, {pattern: 'g($B, $C)'}]}\nfix: h($B, $C)\n"
    assert fixed(rule, "f(1, 2); g(3, 4);") == "h(2); h(3, 4);"
    with pytest.raises(RuleError, match=r"\$B is empty") as raised:
        plan(rule + "strictFix: true", "f(1)")
    assert raised.value.place == "fix"
    certain = "rule: {pattern: f($A), not: {pattern: f($B)}}\nfix: h($A)\nstrictFix: true"
    assert plan(certain, "f(1)").files == []


@pytest.mark.parametrize(("constraint", "matched"), ROWS["how the items of a many capture count"])
def test_k2_how_the_items_of_a_many_capture_count(constraint: str, matched: list[str]) -> None:
    rule = "rule: {pattern: 'f($$$A)'}\nconstraints: {A: " + constraint + "}"
    source = "f(1); f(1, 2); f(1, a); f();"
    assert sorted(item["text"] for item in found(rule, source)) == sorted(matched)


def test_rules_without_a_fix_are_told_where_they_belong(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    rule = {"id": "x", "language": "python", "rule": {"pattern": "f($A)"}}
    assert "None of the rules has a fix" in astedit.ast_edit(rules=[rule], root=tmp_path).hints[0]
    elsewhere = astedit.ast_edit(rules=[{**rule, "fix": "g()", "language": "go"}], root=tmp_path)
    assert "None of the rules" not in " ".join(elsewhere.hints)


@pytest.mark.parametrize("mode", ["json", "scan"])
def test_matches_in_matches_have_no_more_text_than_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(matches, "MAX_MATCH_TEXT", 10_000)
    (tmp_path / "a.py").write_text("x = 1" + "+1" * 120 + "\n")
    rule = "id: sum\nlanguage: python\nrule: {pattern: $A + $B}\nfix: add($A, $B)"
    pattern = {"ops": [{"pat": "$A + $B"}]}
    request = request_of({"ops": []}, rules=rule) if mode == "scan" else request_of(pattern)
    with Workspace(tmp_path) as workspace:
        data = Engine(request, mode, False, workspace.read).file("a.py", "python", inline=False)
    assert isinstance(data, FileData) and 2 < len(data.matches) < 50
    assert data.matches[0]["text"] == "1" + "+1" * 120
    assert data.skip is not None and data.skip[0] == "out_of_memory"


def test_what_a_line_holds_is_kept_once_for_all_its_matches(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = [" + "f(1)," * 300 + "]\n")
    result = astedit.search("f($A)", ["a.py"], root=tmp_path)
    assert len({id(match.lines) for match in result.matches}) == 1 < len(result.matches)
