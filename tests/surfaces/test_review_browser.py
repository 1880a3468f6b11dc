"""The review page in a real browser: decisions by keys and buttons, applied through the gate."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from astedit.workspace.root import Workspace, state_dir
from tests.support.browser import BROWSER, needs_browser
from tests.support.patience import until
from tests.support.project import Project
from tests.support.review_page import served_page

pytestmark = needs_browser
SOURCE = "f(1)\nf(2)\nf(3)\nh(a, b)\nh(c, d)\nx = k()\n"


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser; while it runs, this thread has an event loop."""
    from playwright.sync_api import sync_playwright

    more = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=BROWSER, args=more)
        yield launched
        launched.close()


def staged(project: Project) -> str:
    project.write(a_py=SOURCE, sub__b_py=SOURCE)
    ops = [("f($A)", "g($A)"), ("h($A, $B)", "h($B, $A)"), ("k()", "k(1)")]
    args = [word for pattern, rewrite in ops for word in ("-p", pattern, "-r", rewrite)]
    assert project("edit", "-q", *args).code == 0
    return project.newest()


def state(project: Project) -> Path:
    with Workspace(str(project.root)) as workspace:
        return Path(state_dir(workspace, None))


def test_one_shape_is_accepted_one_edit_rejected_and_the_rest_is_as_with_only(
    project: Project,
) -> None:
    action_id, before = staged(project), project.files()
    shapes = project("show", "--json").json["shapes"]
    number = next(n for n, s in enumerate(shapes, 1) if s["label"].startswith("f("))
    with served_page(project.root, state(project), action_id) as served, browsing() as browser:
        page = browser.new_page()
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text))
        page.on("pageerror", lambda error: refused.append(str(error)))
        page.goto(served.link)
        page.wait_for_url(f"http://{served.host}{served.base}/")
        assert page.locator("#open-apply").is_disabled()
        page.locator(f'a[data-group="shape-{number}"]').click()
        page.wait_for_url(f"**/?group=shape-{number}*")
        page.keyboard.press("a")
        page.wait_for_selector(f'a[data-group="shape-{number}"][data-mark="accept"]')
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.wait_for_selector('article[data-choice="reject"]')
        rejected = page.locator('article[data-choice="reject"]').get_attribute("data-id")
        accepted = [each.get_attribute("data-id")
                    for each in page.locator('article[data-choice="accept"]').all()]  # fmt: skip
        page.reload()
        assert page.locator("#progress").inner_text() == "6 of 12 decided, 1 rejected"
        page.locator("#open-apply").click()
        page.locator("#apply input[name=reason]").fill("looked at them")
        page.locator("#apply button.go").click()
        page.wait_for_selector("#ended")
        assert "Applied" in page.locator("#ended").inner_text()
        assert refused == []
    assert rejected not in accepted and len(accepted) == 5
    through_page = project.files()
    for path, content in before.items():
        project.put(path, content)
    again = staged(project)
    only = [word for each in accepted for word in ("--only", each)]
    assert project("resolve", "apply", again, "--reason", "r", *only).code == 0
    assert project.files() == through_page != before


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1600])
def test_no_page_is_wider_than_the_screen(project: Project, width: int) -> None:
    action_id = staged(project)
    report = project.root.parent / "plan.html"
    report.write_bytes(project("show", "--format", "html").out)
    with served_page(project.root, state(project), action_id) as served, browsing() as browser:
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(served.link)
        page.wait_for_selector("#progress")
        for address in ("/", "/?split=1", "/?q=f"):
            page.goto(f"http://{served.host}{served.base}{address}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto(report.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_line_number_of_any_length_has_room(project: Project) -> None:
    project.write(a_py="x = 1\n" * 99_999 + "f(1)\nf(2)\n")
    assert project("edit", "-q", "-p", "f($A)", "-r", "g($A)").code == 0
    action_id = project.newest()
    with served_page(project.root, state(project), action_id) as served, browsing() as browser:
        page = browser.new_page()
        page.goto(served.link)
        page.wait_for_selector("pre.code i")
        rooms = page.evaluate(
            """[...document.querySelectorAll("pre.code i")].filter(i => i.textContent).map(i => {
                const text = document.createRange();
                text.selectNodeContents(i);
                return [text.getClientRects().length, i.textContent.length];
            })"""
        )
        assert {size for _, size in rooms} == {5, 6}
        assert {lines for lines, _ in rooms} == {1}, "a number is broken into lines"


def test_a_file_is_viewed_an_edit_folded_and_widened_and_a_decision_undone(
    project: Project,
) -> None:
    lines = "".join(f"x{n} = {n}\n" for n in range(40))
    project.write(a_py=f"{lines}f(1)\n{lines}", b_py=SOURCE)
    assert project("edit", "-q", "-p", "f($A)", "-r", "g($A)").code == 0
    action_id = project.newest()
    with served_page(project.root, state(project), action_id) as served, browsing() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(served.link)
        page.wait_for_selector("article")
        head = "document.querySelector('.bar').getBoundingClientRect().height"
        until(lambda: page.evaluate(head) <= 0.15 * 844)  # as soon as it is laid out
        page.locator(".groups h2").first.wait_for(state="hidden")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"http://{served.host}{served.base}/")
        assert page.locator(".groups h2").first.inner_text().startswith("Small groups")
        page.locator("details.files summary").click()
        page.locator('a[data-file="a.py"]').click()
        page.wait_for_selector('body[data-accepted] h2[data-path="a.py"]')  # its script has run
        assert page.locator("article").count() == 1
        before = page.locator("article .code span").count()
        page.keyboard.press("j")
        page.keyboard.press("m")
        page.locator("article .code > span").nth(before + 10).wait_for(state="attached")
        page.keyboard.press("f")
        assert not page.locator("article .code").is_visible()
        page.keyboard.press("f")
        page.keyboard.press(" ")
        page.wait_for_selector('article[data-choice="accept"]')
        page.keyboard.press("u")
        page.wait_for_selector('article[data-choice=""]')
        page.keyboard.press("Control+r")
        page.wait_for_selector('article[data-choice="accept"]')
        page.keyboard.press("u")
        page.wait_for_selector('article[data-choice=""]')
        page.keyboard.press("u")
        page.wait_for_selector("#message:not([hidden])")
        with page.expect_response("**/view"):
            page.locator('[data-viewed="a.py"]').check()
        page.reload()
        assert page.locator('[data-viewed="a.py"]').is_checked()
        assert not page.locator('[data-viewed="b.py"]').is_checked()
