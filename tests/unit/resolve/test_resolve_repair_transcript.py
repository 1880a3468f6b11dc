"""The last look: each call gets exactly one answer, and no record is changed."""

from __future__ import annotations

from resolve.fold import MISSING, fold, paired
from resolve.records import Record
from tests.support.gate.records import call, message, result


class TestPaired:
    def context(self, *records: Record) -> list[dict[str, object]]:
        return fold(records).context()

    def test_a_sound_transcript_is_left_alone(self) -> None:
        messages = self.context(call("c1", 1), call("c2", 1), result("c2"), result("c1"))
        assert paired(messages) == (messages, 0)

    def test_a_missing_answer_is_an_error(self) -> None:
        found = paired(self.context(call("c1"), message("m")))
        assert found.repaired == 1
        assert found.messages[1] == {
            "role": "tool",
            "callId": "c1",
            "content": MISSING,
            "isError": True,
        }

    def test_orphans_and_seconds_are_left_out(self) -> None:
        answer = {"role": "tool", "callId": "c1", "content": "ok", "isError": False}
        asked = {"role": "assistant", "calls": [{"id": "c1"}]}
        orphan = {**answer, "callId": "c9"}
        assert paired([orphan, asked, answer, {**answer}]) == ([asked, answer], 2)

    def test_an_answer_further_away_is_brought_back(self) -> None:
        answer = {"role": "tool", "callId": "c1", "content": "ok", "isError": False}
        asked = {"role": "assistant", "calls": [{"id": "c1"}]}
        user = {"role": "user", "content": "hm"}
        assert paired([asked, user, answer]) == ([asked, answer, user], 1)
