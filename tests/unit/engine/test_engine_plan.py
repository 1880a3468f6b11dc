"""What a plan says beside its edits: skips, counts, limits, languages, places."""

import sys
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.engine.fingerprint import request_part
from astedit.engine.run.plan import check_limits
from astedit.errors import (
    ConflictError,
    LimitError,
    OutsideRootError,
    PreconditionError,
    RequestError,
)
from astedit.interface.functions import ast_edit
from astedit.model.edit import EditedMatch
from tests.support.engine_edit import plan_of
from tests.support.lists import rows
from tests.support.slowly import slow_after

ROWS = rows(Path(__file__).with_suffix(".txt"))

FOO = ("foo($A)", "bar($A)")
INDEXED = ("foo($A)", "bar[$A]")  # which keeps no comment beside $A
LATER = (
    "maxEvents",
    "ownEdits",
    "params",
    "schema",
    "failOnBlocked",
    "failOnDroppedComments",
    "noNear",
    "near",
    "kept",
    "formatWith",
    "after",
)
CALLS = {"pat": "f($A)", "out": "g($A)"}
DOTTED = {"pat": "f($A)", "out": "m.f($A)"}  # adds at the place of the import


def test_a_file_reached_by_two_names_is_edited_once(tmp_path: Path) -> None:
    """Row 26: ast-grep applied two changes for one file; here row26 is one edit."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/real.py").write_text("foo(1)\n")
    (tmp_path / "a.py").symlink_to("src/real.py")
    paths = ["a.py", "src/real.py", "src", "."]
    plan = ast_edit(ops=[{"pat": FOO[0], "out": FOO[1]}], paths=paths, root=tmp_path)
    assert [(file.path, file.link, file.replacements) for file in plan.files] == [
        ("src/real.py", "a.py", 1)
    ]
    assert plan.total_replacements == 1


def test_a_link_met_on_the_way_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("b.py")
    plan = plan_of(tmp_path, {"b.py": "foo(1)\n"}, FOO)
    assert [file.path for file in plan.files] == ["b.py"]
    assert [(skip.path, skip.reason) for skip in plan.skipped] == [("a.py", "symlink")]


def test_every_skip_has_its_reason(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "binary.py": b"foo(1)\0",
        "generated.py": "# @generated\nfoo(1)\n",
        "latin.py": b"foo(1)  # \xe9\n",
        "large.py": "foo(1)\n" + "#" * 300,
        "node_modules/a.js": "foo(1)",
        "wide.py": "foo(1)\n".encode("utf-16"),
        "ok.py": "foo(1)\n",
    }
    plan = plan_of(tmp_path, files, FOO, max_file_size=200)
    assert {skip.path: skip.reason for skip in plan.skipped} == {
        "binary.py": "binary",
        "generated.py": "generated",
        "large.py": "too_large",
        "latin.py": "not_utf8",
        "node_modules/a.js": "vendored",
        "wide.py": "not_utf8",
    }
    assert [file.path for file in plan.files] == ["ok.py"]


def test_a_file_in_which_matching_was_given_up_is_the_only_one_skipped(tmp_path: Path) -> None:
    holes = ", ".join(f"$$$A{i}, $B{i}, x" for i in range(12))
    call = "f(" + "x, " * 60
    files = {"a.py": f"{call}end, more)\n", "b.py": f"{call}end)\n", "c.py": "end(1)\n"}
    plan = plan_of(tmp_path, files, (f"f({holes}, end)", "hit()"), ("end($A)", "hit($A)"))
    assert [(skip.path, skip.reason) for skip in plan.skipped] == [("a.py", "timeout")]
    assert [file.path for file in plan.files] == ["b.py", "c.py"]
    assert plan.incomplete


def test_what_holds_no_match_is_no_skip(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"a.py": b"x\0", "b.py": "# @generated\n", "c.py": b"\xe9"}
    assert not plan_of(tmp_path, files, FOO).skipped


def test_counts_are_of_matches_and_files_in_path_order(tmp_path: Path) -> None:
    files = {"b.py": "foo(foo(1))\n", "a/z.py": "foo(1); foo(2)\n", "a.py": "foo(1)\n"}
    plan = plan_of(tmp_path, files, FOO)
    counts = [(file.path, file.replacements, len(file.edits)) for file in plan.files]
    assert counts == [("a.py", 1, 1), ("a/z.py", 2, 2), ("b.py", 2, 1)]
    assert (plan.total_replacements, plan.files_touched) == (5, 3)


def test_places_are_for_people_and_bytes_for_programs(tmp_path: Path) -> None:
    source = "x = 1\n\té = foo('ü')\n"
    edit = plan_of(tmp_path, {"a.js": source}, FOO).files[0].edits[0]
    assert (edit.line, edit.column) == (2, 6)
    at = source.encode().index(b"foo")
    assert (edit.start, edit.end) == (at, at + 3)
    assert (edit.before, edit.after) == ("foo", "bar")
    assert edit.match == EditedMatch(at, len(source.encode()) - 1, 2, 6, "foo('ü')")
    assert (edit.whole_before, edit.whole_after) == ("foo('ü')", "bar('ü')")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "latin-1"])
def test_edits_of_other_encodings_are_shown_decoded(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "latin-1": b""}[encoding]
    source = mark + "x = 'é'; foo('ü')".encode(encoding)
    op = ("$F('ü')", "$F('ö')")
    plan = plan_of(
        tmp_path, {"a.js": source}, op, encoding=encoding[:6].replace("latin-", "latin-1")
    )
    edit = plan.files[0].edits[0]
    assert (edit.before, edit.after, edit.column) == ("ü", "ö", 15)
    assert source[edit.start : edit.end] == "ü".encode(encoding)
    assert (edit.whole_before, edit.whole_after) == ("foo('ü')", "foo('ö')")
    assert edit.match is not None
    assert source[edit.match.start : edit.match.end] == "foo('ü')".encode(encoding)


@pytest.mark.parametrize(("options", "found"), ROWS["limits take the first in path order"])
def test_limits_take_the_first_in_path_order(
    tmp_path: Path, options: dict[str, Any], found: list[tuple[str, int]]
) -> None:
    files = {"a.py": "foo(1)\nfoo(2)\n", "b.py": "foo(3)\n", "c.py": "foo(4)\n"}
    plan = plan_of(tmp_path, files, FOO, **options)
    assert [(file.path, file.replacements) for file in plan.files] == found
    assert plan.limit_reached == (sum(count for _, count in found) < 4)
    if not plan.limit_reached:
        check_limits(plan)
        return
    with pytest.raises(LimitError) as caught:
        check_limits(plan)
    assert caught.value.plan is plan
    partial = plan_of(tmp_path, files, FOO, allow_partial=True, **options)
    check_limits(partial)
    assert [(file.path, file.replacements) for file in partial.files] == found


def test_a_file_cut_at_a_limit_is_described_as_it_will_be(tmp_path: Path) -> None:
    import hashlib

    plan = plan_of(tmp_path, {"a.py": "foo(1)\nfoo(2)\n"}, FOO, max_replacements=1)
    assert plan.files[0].after_hash == hashlib.sha256(b"bar(1)\nfoo(2)\n").hexdigest()
    assert "+bar(1)\n" in plan.diff()
    assert "bar(2)" not in plan.diff()


@pytest.mark.parametrize(("expect", "message"), ROWS["expected counts"])
def test_expected_counts(tmp_path: Path, expect: dict[str, int], message: str | None) -> None:
    plan = plan_of(tmp_path, {"a.py": "foo(1)\nfoo(2)\n", "b.py": "foo(3)\n"}, FOO)
    if message is None:
        check_limits(plan, expect)
        return
    with pytest.raises(PreconditionError, match=message) as caught:
        check_limits(plan, expect)
    assert caught.value.code == "unexpected_count"


def test_expected_counts_are_those_after_blocking(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"a.js": "foo(/* c */ 1); foo(2);"}, INDEXED)
    check_limits(plan, {"replacements": 1, "files": 1})


def test_files_that_do_not_parse_are_counted_and_may_be_refused(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{i:02}.js": "foo(1);\nlet = = 3;\n" for i in range(25)}
    plan = plan_of(tmp_path, files, FOO)
    assert plan.files_touched == 25
    assert plan.parse_errors.total == 25
    assert [(each.path, each.line) for each in plan.parse_errors.shown][:2] == [
        ("00.js", 2),
        ("01.js", 2),
    ]
    assert len(plan.parse_errors.shown) == 20
    check_limits(plan)
    strict = plan_of(tmp_path, files, FOO, fail_on_parse_error=True)
    with pytest.raises(PreconditionError, match="25 files do not parse"):
        check_limits(strict)


def test_a_plan_with_blocked_matches_may_be_refused(tmp_path: Path) -> None:
    files = {"a.js": "foo(1);\nx = foo(/* c */ 2);\n"}
    check_limits(plan_of(tmp_path, files, INDEXED))
    strict = plan_of(tmp_path, files, INDEXED, fail_on_blocked=True)
    with pytest.raises(PreconditionError, match=r"1 match is blocked, .* a\.js:2 \(loss\)"):
        check_limits(strict)
    check_limits(plan_of(tmp_path, {"a.js": "foo(1);\n"}, FOO, fail_on_blocked=True))


def test_a_plan_that_drops_comments_may_be_refused(tmp_path: Path) -> None:
    files = {"a.js": "foo(1, 2);\nfoo(3, [\n  4, // why\n]);\n"}
    op = ("foo($A, $B)", "foo($A)")
    check_limits(plan_of(tmp_path, files, op))
    strict = plan_of(tmp_path, files, op, fail_on_dropped_comments=True)
    with pytest.raises(PreconditionError, match=r"1 comment would be dropped, .* a\.js:3; nothing"):
        check_limits(strict)
    moved = plan_of(tmp_path, files, ("foo($A, $B)", "bar($B)"), fail_on_dropped_comments=True)
    check_limits(moved)


def test_comments_of_protected_files_are_not_dropped(tmp_path: Path) -> None:
    files = {".github/workflows/a.py": "foo([1,  # why\n  2])\n"}
    op = ("foo($A)", "foo()")
    assert plan_of(tmp_path, files, op, no_ignore=["hidden"]).dropped_comments == []
    allowed = plan_of(tmp_path, files, op, no_ignore=["hidden"], allow_protected=True)
    assert [one.text for one in allowed.dropped_comments] == ["# why"]


def test_a_later_option_leaves_the_fingerprint_of_plans_without_it(tmp_path: Path) -> None:
    plan, strict = (
        plan_of(tmp_path, {"a.js": "foo(1);\n"}, FOO, fail_on_blocked=on) for on in (False, True)
    )
    assert plan.fingerprint != strict.fingerprint
    old = {k: v for k, v in plan.request.to_json().items() if k not in LATER}
    old["ops"] = [
        {key: value for key, value in op.items() if key not in ("where", "whereKind")}
        for op in old["ops"]
    ]
    assert request_part(plan.request) == old


def test_a_file_that_python_does_not_read_is_named(tmp_path: Path) -> None:
    files = {"a.py": "print 'old'\nfoo(*a)\n", "b.py": "foo(*a)\n", "c.js": "foo(1);\n"}
    plan = plan_of(tmp_path, files, ("foo($A)", "x = $A"))
    assert [(b.path, b.reason) for b in plan.blocked] == [("b.py", "breaks_syntax")]
    assert [file.path for file in plan.files] == ["a.py", "c.js"]
    assert plan.interpreter == "{}.{}".format(*sys.version_info)
    assert [hint for hint in plan.hints if "does not compile a.py as it is" in hint]


def test_a_spread_argument_that_moves_is_noted(tmp_path: Path) -> None:
    files = {"a.py": "x = 1\nfoo(*a, b)\nfoo(b, *a)\n", "b.js": "foo(a, b);\nfoo(...a, b);\n"}
    assert plan_of(tmp_path, files, ("foo($A, $B)", "foo($B, $A)")).hints == [
        "3 edits move a spread argument past another one, the first at a.py:2: "
        "its meaning depends on its place."
    ]
    assert plan_of(tmp_path, files, ("foo($A, $B)", "bar($A, k, $B)")).hints == []


def test_a_moved_spread_in_a_document_is_told(tmp_path: Path) -> None:
    page = "<p>\n<script>\nf(...a, b)\n</script>\n"
    op = {"pat": "f($A, $B)", "out": "f($B, $A)", "lang": "javascript"}
    plan = plan_of(tmp_path, {"a.html": page}, op)
    assert any("spread argument" in hint and "a.html:3" in hint for hint in plan.hints)


def test_no_python_is_asked_about_other_languages(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"c.js": "foo(1);\n"}, FOO)
    assert (plan.interpreter, plan.hints) == (None, [])


def test_a_protected_file_is_blocked_unless_it_is_allowed(tmp_path: Path) -> None:
    files = {"sitecustomize.py": "foo(1)\n", "a.py": "foo(2)\n"}
    plan = plan_of(tmp_path, files, FOO)
    assert [(b.path, b.reason) for b in plan.blocked] == [("sitecustomize.py", "protected")]
    assert [file.path for file in plan.files] == ["a.py"]
    allowed = plan_of(tmp_path, files, FOO, allow_protected=True)
    assert [file.path for file in allowed.files] == ["a.py", "sitecustomize.py"]


def test_an_overlap_may_be_an_error_that_says_where(tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match=r"^a\.py:2: ") as caught:
        plan_of(tmp_path, {"a.py": "x\nfoo(foo(1))\n"}, FOO, overlap="error")
    assert caught.value.path == "a.py"


def test_languages_that_occur_are_named_with_what_was_dropped(tmp_path: Path) -> None:
    files = {"a.py": "x\n", "b.js": "function f() {}\n", "c.json": "{}", "d.go": "package p\n"}
    plan = plan_of(tmp_path, files, ("function f() {}", "g"))
    assert [use.name for use in plan.languages] == ["go", "javascript", "python"]
    assert [use.name for use in plan.languages if use.dropped is None] == ["javascript"]
    assert all(
        "does not parse" in use.dropped or "several" in use.dropped
        for use in plan.languages
        if use.dropped
    )


def test_a_pattern_that_no_language_accepts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        plan_of(tmp_path, {"a.py": "x\n"}, ("f(((", "g"))
    assert caught.value.exit_code == 2


def test_without_any_file_nothing_is_an_error(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"a.txt": "foo(1)"}, FOO)
    assert (plan.total_replacements, plan.files_searched, plan.languages) == (0, 0, [])


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x"])
def test_paths_stay_below_the_root(tmp_path: Path, path: str) -> None:
    with pytest.raises((RequestError, OutsideRootError)):
        ast_edit(ops=[{"pat": FOO[0], "out": FOO[1]}], paths=[path], root=tmp_path)


@pytest.mark.parametrize(("ops", "code"), ROWS["bad ops are refused before anything is read"])
def test_bad_ops_are_refused_before_anything_is_read(
    tmp_path: Path, ops: list[Any], code: str
) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    with pytest.raises(RequestError) as caught:
        ast_edit(ops=ops, root=tmp_path)
    assert caught.value.code == code


def test_the_same_pattern_may_be_given_for_two_languages(tmp_path: Path) -> None:
    ops = [{"pat": "f($A)", "out": "g", "lang": lang} for lang in ("py", "js")]
    assert plan_of(tmp_path, {"a.py": "f(1)\n", "a.js": "f(1)\n"}, *ops).total_replacements == 2


def test_a_plan_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    for index in range(6):
        (tmp_path / f"{index}.py").write_text(f"foo(foo({index}))\nfoo(1)  # c\n")
    ops = [{"pat": FOO[0], "out": FOO[1]}]
    plans = [ast_edit(ops=ops, root=tmp_path, jobs=jobs) for jobs in (1, 2)]
    assert plans[0].fingerprint == plans[1].fingerprint
    assert plans[0].diff() == plans[1].diff()
    assert plans[0].total_replacements == 18


@slow_after(1, "head", ["import os\n", "", "'''About.'''\n"])
@slow_after(
    2,
    "op, added, line, kept",
    [
        (CALLS, "from m import g", 0, ["g(1)", "f(2)"]),
        (CALLS, "from m import g", 1, ["f(1)", "g(2)"]),
        (DOTTED, "import m", 0, ["m.f(1)", "f(2)"]),
        (DOTTED, "import m", 1, ["f(1)", "m.f(2)"]),
    ],
)
def test_an_import_comes_with_any_edit_that_needs_it(
    tmp_path: Path, head: str, op: dict[str, str], added: str, line: int, kept: list[str]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(f"{head}f(1)\nf(2)\n")
    astedit.open(root, state_dir=tmp_path / "state").edit([op], add_import=added).apply(
        "r", only=[f"a.py:{head.count(chr(10)) + 1 + line}"]
    )
    lines = (root / "a.py").read_text().splitlines()
    assert lines[-2:] == kept and added in lines


@slow_after(1, "head", ["from m import f, old\n", "from m import old, f\n", "from m import old\n"])
@pytest.mark.parametrize("added", ["a", "zz"])
def test_a_name_added_beside_one_that_is_renamed_comes_without_that(
    tmp_path: Path, head: str, added: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(f"{head}old(1)\nk(2)\n")
    rename = {"pat": "old", "out": "new"}
    op = {"pat": "k($A)", "out": f"{added}($A)", "imports": {"add": [f"from m import {added}"]}}
    astedit.open(root, state_dir=tmp_path / "state").edit([rename, op]).apply("r", only=["a.py:3"])
    line, *calls = (root / "a.py").read_text().splitlines()
    assert calls == ["old(1)", f"{added}(2)"]
    names = line.removeprefix("from m import ").split(", ")
    assert sorted(names) == sorted([*head.split("import ")[1].strip().split(", "), added])
