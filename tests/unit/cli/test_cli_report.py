"""A Plan as text: what people read on stderr."""

import pytest

from astedit.cli.output import report
from astedit.model.edit import Edit, FilePlan, LanguageUse, Skip, Span
from astedit.model.plan import (
    Blocked,
    Displaced,
    DroppedComment,
    Lost,
    ParseError,
    ParseErrors,
    Plan,
)
from astedit.model.request import EditRequest, Op

SPAN = Span(0, 1, 3, 5)


def plan(**fields: object) -> Plan:
    made = Plan("/root", EditRequest([Op("f($A)", "g($A)")]))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def file_plan(path: str, *ops: int, link: str | None = None) -> FilePlan:
    edits = [Edit("0" * 12, op, None, 0, 1, 1, 1, "a", "b", 2, new=b"b") for op in ops]
    return FilePlan(path, "modify", "x", "y", 0o644, 2 * len(ops), edits, link)


def told(made: Plan) -> list[str]:
    return list(report.summary(made))


def test_a_plan_without_edits_says_so_first() -> None:
    assert told(plan(files_searched=7978)) == ["Nothing to change (7,978 files searched)."]


def test_one_is_singular() -> None:
    made = plan(total_replacements=1, files_touched=1, files_searched=1)
    assert told(made) == ["1 replacement in 1 file (1 file searched)."]


def test_several_ops_are_counted_each_by_its_matches() -> None:
    made = plan(files=[file_plan("a", 0, 1, 1)], total_replacements=6, files_touched=1)
    made.request.ops.append(Op("h()", "i()"))
    assert told(made)[1:] == ["  2 replacements: f($A)", "  4 replacements: h()"]


def test_blocked_names_place_reason_and_loss_and_each_hint_once() -> None:
    item = Blocked("a\nb.js", SPAN, 0, "loss", [Lost(SPAN, "/* keep */")], "name it", 2)
    assert told(plan(blocked=[item, item]))[1:] == [
        "Blocked: 4 matches left out",
        "  a\\nb.js:3:5: loss of /* keep */",
        "  a\\nb.js:3:5: loss of /* keep */",
        "hint: name it",
    ]


def test_dropped_comments_are_counted_and_listed() -> None:
    item = DroppedComment("a\nb.py", SPAN, 0, "# why\x1b")
    assert told(plan(dropped_comments=[item, item]))[1:] == [
        "Dropped with what the rewrite leaves out: 2 comments",
        "  a\\nb.py:3:5: # why\\x1b",
        "  a\\nb.py:3:5: # why\\x1b",
    ]


def test_a_long_list_ends_with_its_rest() -> None:
    lines = told(plan(displaced=[Displaced("a.py", SPAN, 0, 1, "inside")] * (report.SHOWN + 3)))
    assert lines[1] == "Displaced: 13 matches inside other matches"
    assert lines[2] == "  a.py:3:5: inside (op 2)"
    assert lines[-1] == "  and 3 more"


def test_matches_of_what_an_earlier_op_edits_are_only_counted() -> None:
    item, other = (Displaced(path, SPAN, 1, 0, "crossing") for path in ("a.py", "b.py"))
    assert told(plan(files=[file_plan("a.py", 0)], displaced=[item, other, item]))[-3:] == [
        "Displaced: 2 matches of the same code as op 1",
        "Displaced: 1 match inside other matches",
        "  b.py:3:5: crossing (op 1)",
    ]


def test_skipped_files_are_counted_by_reason_and_the_surprising_ones_named() -> None:
    skips = [Skip("v/a", "vendored"), Skip("b", "not_utf8"), Skip("c", "timeout", "after 10 s")]
    assert told(plan(skipped=skips))[1:] == [
        "Skipped: 1 not_utf8, 1 timeout, 1 vendored",
        "  b: not_utf8",
        "  c: after 10 s",
    ]


def test_dropped_languages_parse_errors_and_hints_are_told() -> None:
    made = plan(
        languages=[LanguageUse("go", "g", "1", None), LanguageUse("c", "g", "1", "refused")],
        parse_errors=ParseErrors(21, [ParseError("a.py", 2, 1)]),
        hints=["try this"],
    )
    assert told(made)[1] != "Left out c: refused"  # nobody named it
    made.request.lang = "c"
    assert told(made)[1:] == [
        "Left out c: refused",
        "Did not parse cleanly: 21 files",
        "  a.py:2:1",
        "  and 20 more",
        "hint: try this",
    ]


def test_the_table_lines_up_and_shows_links() -> None:
    assert list(report.stat([file_plan("a.py", 0), file_plan("src/b.py", 0, 0, link="b.py")])) == [
        " a.py             | 2",
        " b.py -> src/b.py | 4",
        " 6 replacements in 2 files",
    ]
    assert list(report.stat([])) == []


def test_exit_codes_of_a_plan() -> None:
    some, blocked = plan(total_replacements=1), [Blocked("a", SPAN, 0, "loss")]
    assert report.exit_code(plan(), check=True) == 0
    assert report.exit_code(some, check=False) == 0
    assert report.exit_code(some, check=True) == 1
    assert report.exit_code(plan(blocked=blocked), check=False) == 3
    assert report.exit_code(plan(blocked=blocked, total_replacements=1), check=False) == 0


def test_colour_marks_added_removed_and_places() -> None:
    shown = report.coloured("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n")
    assert "\x1b[31m-\x1b[0m\x1b[31;7ma\x1b[0m\n\x1b[32m+\x1b[0m\x1b[32;7mb\x1b[0m\n c\n" in shown
    assert shown.startswith("\x1b[1m--- a/x\x1b[0m\n")


@pytest.mark.parametrize(
    "patch, count",
    [
        ("+a\tb\r\n", 0),
        ("+caf\u00e9 \U0001f600\n", 0),
        ("+a\rb\n", 1),
        ("+\x1b[0m\x00\n", 2),
        ("+\u202ea\u200b\n", 2),
    ],
)
def test_a_diff_for_a_program_warns_of_what_a_person_would_not_see(
    patch: str, count: int, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    report.print_diff(patch.encode())
    out, err = capsysbinary.readouterr()
    assert out == patch.encode()
    assert err.startswith(b"warning: %d hidden" % count) if count else err == b""


def test_words_that_differ_are_marked_in_lines_that_stand_for_one_another() -> None:
    assert report.coloured("-foo(1)\n+bar(1)") == (
        "\x1b[31m-\x1b[0m\x1b[31;7mfoo\x1b[0m\x1b[31m(1)\x1b[0m\n"
        "\x1b[32m+\x1b[0m\x1b[32;7mbar\x1b[0m\x1b[32m(1)\x1b[0m"
    )
    alone = report.coloured("--- a/a\n+++ b/a\n-gone\n x\n+new\n+er")
    assert ";7m" not in alone and alone.count("\n") == 5
