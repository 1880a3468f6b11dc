"""`review.json`: what is exported comes back, and all else is refused with its place."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import AstEditError
from astedit.review.decisions import Review
from astedit.review.document import MAX_SIZE, document_of, import_document
from tests.support.reviews import reviews_of, small_plan
from tests.support.slowly import slow_after


@pytest.fixture
def review(tmp_path: Path) -> Review:
    (ann,) = reviews_of(small_plan(tmp_path), "ann")
    return ann


def text(document: Any) -> bytes:
    return json.dumps(document).encode()


def test_what_is_exported_comes_back_in_another_store(tmp_path: Path, review: Review) -> None:
    first, second, third = (each.edit.id for each in review.shapes[0].edits)
    review.decide([first], "reject")
    review.decide([second, third], "accept")
    review.comment(first, "\x1b[31m no \u202e")
    review.mark([second], "sampled")
    document = document_of(review)
    assert document["schema"] == "astedit/review/1"
    assert document["progress"] == {
        "edits": 6, "accepted": 4, "rejected": 1, "read": 0, "sampled": 1, "comments": 1,
        "undecided": 1}  # fmt: skip
    (ben,) = reviews_of(small_plan(tmp_path), "ben")
    assert sorted(import_document(text(document), ben)) == sorted([first, second, third])
    for edit_id in review.edits:
        assert ben.own(edit_id) == review.own(edit_id)
    assert import_document(text(document), ben) == []


def test_who_imports_has_decided_what_nobody_has_signed(review: Review) -> None:
    first = review.shapes[0].edits[0].edit.id
    entry = {"id": first, "decision": "accept"}
    document = {"schema": "astedit/review/1", "fingerprint": review.fingerprint, "edits": [entry]}
    assert import_document(text(document), review) == [first]
    assert (review.own(first).choice, review.own(first).who) == ("accept", "ann")


def test_a_document_does_not_undo_what_it_knows_nothing_of(review: Review) -> None:
    first, second, _ = (each.edit.id for each in review.shapes[0].edits)
    document = document_of(review)
    entries = {entry["id"]: entry for entry in document["edits"]}
    entries[first]["decision"] = entries[second]["decision"] = "accept"
    review.decide([first], "reject")
    with pytest.raises(AstEditError) as caught:
        import_document(text(document), review)
    assert caught.value.code == "changed_meanwhile"
    assert review.own(second).choice is None
    document["revision"] = review.revision
    assert import_document(text(document), review) == [first, second]


def change(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update({name: value})


def entry(index: int, **values: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["edits"][index].update(values)


@slow_after(
    12,
    "damage, code, words",
    [
        (change("fingerprint", "f" * 64), "other_plan", "begins with 'ffff"),
        (change("fingerprint", 1), "bad_review", "`fingerprint`"),
        (change("schema", "astedit/plan/1"), "bad_review", "its schema is 'astedit/plan/1'"),
        (change("extra", 1), "bad_review", "`extra`"),
        (change("edits", {}), "bad_review", "`edits`"),
        (change("edits", [1]), "bad_review", "`edits[0]` is not an object"),
        (change("revision", True), "bad_review", "`revision`"),
        (lambda document: document.pop("edits"), "bad_review", "`edits` is missing"),
        (entry(1, id="0" * 12), "unknown_edit", "edits[1]: the plan has no edit '000000000000'"),
        (entry(1, id=[1]), "bad_review", "`edits[1].id` is not a text"),
        (entry(1, path="b.py"), "bad_review", "edits[1].path"),
        (entry(1, line=99), "bad_review", "edits[1].line"),
        (entry(1, decision="maybe"), "bad_review", "`edits[1].decision` has no choice 'maybe'"),
        (entry(1, decision=["accept"]), "bad_review", "edits[1].decision"),
        (entry(1, read="yes"), "bad_review", "`edits[1].read` has no choice 'yes'"),
        (entry(1, comment="x" * 10_001), "bad_review", "edits[1].comment"),
        (entry(1, comment="\ud800"), "bad_review", "edits[1].comment"),
        (entry(1, when="soon"), "bad_review", "edits[1].when: 'soon'"),
        (entry(1, who=5), "bad_review", "edits[1].who"),
        (entry(1, odd=5), "bad_review", "`edits[1].odd` is not known"),
        (entry(0, decision="accept"), "contradiction", "an edit of imports"),
        (
            lambda document: document["edits"].append(dict(document["edits"][2])),
            "contradiction",
            "edits[6]: ",
        ),
    ],
)
def test_what_is_no_review_of_this_plan_is_refused(
    review: Review, damage: Callable[[dict[str, Any]], object], code: str, words: str
) -> None:
    document = document_of(review)
    document["edits"][1]["decision"] = "accept"
    damage(document)
    with pytest.raises(AstEditError) as caught:
        import_document(text(document), review)
    assert (caught.value.code, words in caught.value.message) == (code, True), caught.value.message
    assert review.progress().decided == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b'{"a": 1, "a": 2}', b" " * (MAX_SIZE + 1)],
)
def test_what_is_no_document_is_refused(review: Review, content: bytes) -> None:
    with pytest.raises(AstEditError) as caught:
        import_document(content, review)
    assert caught.value.code == "bad_review"
