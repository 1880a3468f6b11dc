"""The static report: complete, safe whatever the code holds, bounded, the same every time."""

from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.model.edit import FilePlan
from astedit.page import report as module
from astedit.page.code_lines import side_by_side, unified
from astedit.page.report import report
from astedit.page.sections import group_key
from astedit.review.excerpt import ExcerptLine
from astedit.review.order import ordered
from astedit.text.html import html
from tests.support.pages import Page
from tests.support.reviews import small_plan

STEERING = "\u202e\U000e0041\ufe01\U0001d173\x1b]8;;x"
HOSTILE = f"</pre></code><script>alert(1)</script><!-- \"' onload=x {STEERING}"


def contents(root: Path, plan: Plan) -> str:
    def read(file: FilePlan) -> bytes | None:
        path = root / file.path
        return path.read_bytes() if path.exists() else None

    return report(plan, read, "the plan")


def test_files_that_come_move_and_go_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("y = 1\n")
    patch = (
        "diff --git a/a.py b/c.py\nrename from a.py\nrename to c.py\n"
        "diff --git a/b.py b/b.py\ndeleted file mode 100644\n"
        "--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y = 1\n"
        "diff --git a/d.py b/d.py\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/d.py\n@@ -0,0 +1 @@\n+z = 1\n"
    )
    text = contents(tmp_path, ast_edit(patch=patch, root=tmp_path))
    for title in ("a.py =&gt; c.py", "b.py (gone)", "d.py (new)"):
        assert f"<h3><code>{title}</code></h3>" in text
    assert text.count("<pre") == 2  # a file that only moves has no lines to show


def test_the_page_has_every_shape_with_its_counts_and_the_changed_words(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    text = contents(tmp_path, plan)
    page = Page(text)
    assert plan.fingerprint in page.text
    for group in ordered(plan):
        assert group.label in page.text
        assert f'<a href="#{group_key(group)}">' in text and f'id="{group_key(group)}"' in text
        assert all(html(reason) in text for each in group.edits for reason in each.why)
    assert "<del>f</del>" in text and "<ins>g</ins>" in text
    assert {"h1", "h2", "h3", "main", "nav", "header", "footer", "article"} <= set(page.tags)
    assert "b.py:2" in page.text
    assert contents(tmp_path, plan) == text


def test_nothing_in_code_names_or_hints_is_markup_or_hidden(tmp_path: Path) -> None:
    name = 'a"><img src=x onerror=alert(1)>.py'
    (tmp_path / name).write_text(f"f({HOSTILE!r}[0], '''{HOSTILE}''')\n", "utf-8")
    plan = ast_edit([{"pat": "f($$$A)", "out": "g($$$A)"}], root=tmp_path)
    plan.hints = [HOSTILE]
    text = report(plan, lambda file: (tmp_path / file.path).read_bytes(), HOSTILE)
    page = Page(text)
    assert not {"script", "img", "iframe", "object", "form", "base", "link"} & set(page.tags)
    assert page.loads == page.handlers == []
    assert "<script>alert(1)</script>" in page.text and "<img src=x onerror=alert(1)>" in page.text
    assert "\\u202e" in text and "\\U000e0041" in text and "\\U0001d173" in text
    assert not set(STEERING[:5]) & set(text)
    assert "default-src 'none'" in text


def test_code_that_was_changed_meanwhile_is_shown_without_what_is_around(tmp_path: Path) -> None:
    text = Page(report(small_plan(tmp_path), lambda file: None, "t")).text
    assert "f(3)" in text and "g(3)" in text and "x = 0" not in text


def test_what_there_is_no_room_for_is_listed_or_at_least_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = small_plan(tmp_path)
    monkeypatch.setattr(module, "_CODE", 400)
    assert (
        "3 edits in 2 files; listed only3 edits not showna.py 4, 5b.py 2"
        in Page(contents(tmp_path, plan)).text
    )
    monkeypatch.setattr(module, "_LISTS", 0)
    assert "3 edits not shownand 3 more edits" in Page(contents(tmp_path, plan)).text


@pytest.mark.slow
def test_a_large_plan_is_sampled_says_so_and_stays_below_a_megabyte(tmp_path: Path) -> None:
    for folder in range(10):
        place = tmp_path / f"a_rather_long_name_of_a_directory_{folder}"
        place.mkdir()
        for file in range(5):
            (place / f"{file}.py").write_text("".join(map("f({})\n".format, range(100))))
    plan = ast_edit([{"pat": "f($$$A)", "out": "g($$$A)"}], root=tmp_path)
    assert plan.total_replacements == 5_000
    text = contents(tmp_path, plan)
    assert len(text.encode()) < 1_000_000
    assert "5,000 edits in 50 files; 20 of them shown, as a sample" in text
    assert "4,980 edits not shown" in text and "a_rather_long_name_of_a_directory_9/4.py" in text


def test_the_definition_around_an_edit_is_marked_in_both_layouts() -> None:
    lines = [ExcerptLine("@", None, None, "Cart.total"), ExcerptLine("-", 9, None, "x")]
    assert "<span class=o><i></i>@ Cart.total\n</span>" in unified("a.py", lines)
    assert "<td><td class=o>@ Cart.total" in side_by_side("a.py", lines)
