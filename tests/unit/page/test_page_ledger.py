"""The ledger as HTML: every place counted, the lists bounded, nothing in it is markup."""

from pathlib import Path

from astedit import ast_edit
from astedit.page import sections as module
from astedit.page.report import report
from astedit.page.sections import ledger_section
from astedit.review.ledger.ledger import ledger
from astedit.review.ledger.model import LedgerName, LedgerPlace, PlaceLedger
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from tests.support.pages import Page

HOSTILE = "</code><script>alert(1)</script>\u202e\x1b"


def test_the_report_ends_with_the_places_that_it_was_handed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("send(1)\nsend(1, 2)  # send\n")
    plan = ast_edit([{"pat": "send($A)", "out": "post($A)"}], root=tmp_path)
    with Workspace(str(tmp_path)) as workspace:
        account = ledger(plan, workspace, Config())
    text = report(plan, lambda file: None, "the plan", ledger=account)
    shown = Page(text).text
    assert "send stands at 3 places in 1 file" in shown and "near miss" in shown
    assert text.index('href="#ledger"') < text.index('<section id="ledger"')
    assert 'id="ledger"' not in report(plan, lambda file: None, "the plan")


def test_hostile_names_are_text_and_long_lists_are_counted() -> None:
    places = [LedgerPlace(f"{at}{HOSTILE}", at, 1, "near", HOSTILE, HOSTILE) for at in range(9_999)]
    text = ledger_section(PlaceLedger("", 1, [LedgerName(0, HOSTILE, "x", {}, places)], [HOSTILE]))
    page = Page(text)
    assert "script" not in page.tags and page.handlers == [] and page.loads == []
    assert not set("\u202e\x1b") & set(text)
    assert len(text) < module._LISTS + 10_000
    assert " more places" in page.text
