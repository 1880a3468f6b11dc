"""What is decided on the page: kept, seen by others, and applied as `--only` applies it."""

import random
from pathlib import Path

import pytest

from astedit import Plan, ast_edit
from astedit.review.selectors import Selection
from astedit.staging.stage import stage
from astedit.staging.stored_review import open_review
from astedit.staging.workspace_session import workspace_session
from resolve import ToolError
from tests.support.pages import Page
from tests.support.review_page import served_page

LINES = ["f(1)", "h(x, f(2))", "f(h(1, 2))", "f(k())", "z = 3", "h(a, b); f(c)"]
OPS = [{"pat": "f($A)", "out": "g($A)"}, {"pat": "h($A, $B)", "out": "h($B, $A)"}]


def staged(folder: Path, chance: random.Random) -> tuple[Plan, str]:
    """A plan of some edits in a root of its own."""
    root = folder / "root"
    root.mkdir(parents=True)
    for name in ("a", "b", "c\n\udcff"):
        (root / f"{name}.py").write_text(
            "".join(f"{line}\n" for line in chance.choices(LINES, k=8))
        )
    plan = ast_edit(OPS, root=root)
    with workspace_session(str(root), str(folder / "state"), who="a", create=True) as session:
        return plan, stage(plan, session).id


def contents(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


def test_what_somebody_else_decided_meanwhile_is_shown_and_not_lost(tmp_path: Path) -> None:
    _, action_id = staged(tmp_path, random.Random(1))
    root, state = tmp_path / "root", tmp_path / "state"
    with served_page(root, state, action_id) as served:
        page = served.entered()
        first, second, *_ = Page(page.text).values("data-id")
        for name in Page(page.text).values("data-viewed"):
            assert page.post("/view", file=name, viewed=True)[0] == 200
        with workspace_session(str(root), str(state), who="other") as session:
            open_review(session, session.store.find(action_id)).decide([first], "reject")
        status, answer = page.post("/decide", edits=[first], choice="accept", shown=[first])
        assert (status, answer["code"]) == (409, "changed_meanwhile")
        assert answer["state"]["choices"] == {first: "reject"}
        status, answer = page.post("/decide", edits=[second], choice="accept")
        assert status == 200 and answer["accepted"] == 1
        with workspace_session(str(root), str(state), who="other") as session:
            open_review(session, session.store.find(action_id)).decide([second], "reject")
        assert page.post("/apply", reason="r")[1]["code"] == "changed_meanwhile"
        with workspace_session(str(root), str(state), who="other") as session:
            review = open_review(session, session.store.find(action_id))
            assert review.chosen("accept") == [] and len(review.chosen("reject")) == 2


def test_a_refresh_carries_what_was_decided_on_the_page(tmp_path: Path) -> None:
    plan, action_id = staged(tmp_path, random.Random(1))
    root, state = tmp_path / "root", tmp_path / "state"
    first = plan.files[0].edits[0].id
    with served_page(root, state, action_id) as served:
        status, _ = served.entered().post("/decide", edits=[first], choice="reject")
        assert status == 200
    place = root / plan.files[0].path
    place.write_text("import os\n" + place.read_text())
    with workspace_session(str(root), str(state), who="a") as session:
        with pytest.raises(ToolError):  # says which one takes its place
            session.resolve("apply", "r", {"refresh": True}, action_id)
        (action,) = session.store.list(("pending",))
        assert len(open_review(session, action).chosen("reject")) == 1


def test_a_group_is_accepted_and_the_rest_of_it_counts_as_sampled(tmp_path: Path) -> None:
    _, action_id = staged(tmp_path, random.Random(2))
    root, state = tmp_path / "root", tmp_path / "state"
    with served_page(root, state, action_id) as served:
        page = served.entered()
        key = next(key for key in Page(page.text).values("data-group") if key != "outliers")
        one, *others = Page(page.get(f"/?group={key}")[2]).values("data-id")
        page.post("/decide", edits=[one], choice="accept")
        page.post("/decide", group=key, choice="accept")
        page.post("/comment", edit=one, text="looks right")
        with workspace_session(str(root), str(state), who="b") as session:
            review = open_review(session, session.store.find(action_id))
        assert (review.own(one).attention, review.own(one).comment) == ("read", "looks right")
        assert {review.own(each).content for each in others} == {("accept", "", "sampled")}


@pytest.mark.slow
def test_a_page_of_a_part_shows_and_applies_that_alone_and_the_rest_is_staged_again(
    tmp_path: Path,
) -> None:
    plan, action_id = staged(tmp_path, random.Random(4))
    root, state = tmp_path / "root", tmp_path / "state"
    own, other = (file for file in plan.files if file.path in ("a.py", "b.py"))
    with served_page(root, state, action_id, part=Selection(("a.py",))) as served:
        page = served.entered()
        ids = {edit.id for edit in own.edits}
        assert set(Page(page.get("/?q=a.py")[2]).values("data-id")) == ids
        assert Page(page.get("/?q=b.py")[2]).values("data-id") == []
        assert f"a part: {len(ids)} of" in page.text
        page.post("/decide", edits=[other.edits[0].id], choice="accept")
        assert page.post("/apply", reason="r")[1]["code"] == "nothing_accepted"
        status, answer = page.post("/decide", edits=list(ids), choice="accept")
        assert status == 200 and answer["accepted"] == len(ids)
        before = contents(root)
        assert page.post("/apply", reason="r")[0] == 200
    assert {name for name, text in contents(root).items() if text != before[name]} == {"a.py"}
    with workspace_session(str(root), str(state), who="a") as session:
        (rest,) = session.store.list(("pending",))
        review = open_review(session, rest)
        assert {file.path for file in review.plan.files} == {"b.py", "c\n\udcff.py"}
        assert len(review.chosen("accept")) == 1


@pytest.mark.slow
def test_the_ledger_is_a_tab_that_is_counted_once_and_again_if_asked(tmp_path: Path) -> None:
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    (root / "a.py").write_text("send(1)\nsend(1, 2)\n")
    plan = ast_edit([{"pat": "send($A)", "out": "post($A)"}], root=root)
    with workspace_session(str(root), str(state), who="a", create=True) as session:
        action_id = stage(plan, session).id
    with served_page(root, state, action_id) as served:
        page = served.entered()
        assert "ledger" in Page(page.text).values("href")
        assert "stands at 2 places in 1 file" in Page(page.get("/ledger")[2]).text
        (root / "b.py").write_text("send\n")
        assert "stands at 2 places in 1 file" in Page(page.get("/ledger")[2]).text
        assert "stands at 3 places in 2 files" in Page(page.get("/ledger?again=1")[2]).text
