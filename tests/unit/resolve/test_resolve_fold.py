"""One fold makes a view of the records; a view is cut between calls only."""

from __future__ import annotations

from resolve.fold import ChatMessage, View, fold
from resolve.records import Record
from tests.support.gate.records import call, message, result, shape


class TestFold:
    def test_nothing_gives_an_empty_view(self) -> None:
        assert fold([]) == View()

    def test_calls_of_one_step_stay_together(self) -> None:
        view = fold([call("c1", 1), call("c2", 1), result("c2"), result("c1"), call("c3")])
        assert shape(view) == ["c1=ok+c2=ok", "c3?"]
        assert [one.id for one in view.open] == ["c3"]

    def test_messages_that_arrive_meanwhile_follow_the_result_in_order(self) -> None:
        records = [message("0"), call("c1"), message("1"), message("2", "background")]
        assert shape(fold(records)) == ["0", "c1?"]
        assert fold(records).deferred == [ChatMessage("user", "1"), ChatMessage("background", "2")]
        assert shape(fold([*records, result("c1"), message("3")])) == ["0", "c1=ok", "1", "2", "3"]

    def test_with_two_open_calls_messages_wait_for_both(self) -> None:
        records = [call("c1", 1), call("c2", 1), message("m"), result("c1")]
        assert shape(fold(records)) == ["c1=ok+c2?"]
        assert shape(fold([*records, result("c2")])) == ["c1=ok+c2=ok", "m"]

    def test_an_open_call_in_mid_log_is_open_wherever_it_stands(self) -> None:
        assert [one.id for one in fold([call("c1", 1), call("c2", 2), result("c2")]).open] == ["c1"]

    def test_an_orphan_result_becomes_a_message(self) -> None:
        view = fold([result("c9", "late")])
        assert view.blocks == [ChatMessage("background", {"lateResult": "c9", "content": "late"})]

    def test_a_second_result_becomes_a_message_too(self) -> None:
        view = fold([call("c1"), result("c1", "first"), result("c1", "second")])
        assert shape(view)[0] == "c1=first"
        assert view.blocks[1] == ChatMessage(
            "background", {"lateResult": "c1", "content": "second"}
        )

    def test_folding_on_is_folding_all(self) -> None:
        records = [call("c1", 1), message("m"), call("c2", 1), result("c1"), result("c2")]
        for cut in range(len(records)):
            assert fold(records[cut:], fold(records[:cut])) == fold(records)

    def test_a_snapshot_restores_the_whole_state(self) -> None:
        before = fold([message("a"), call("c1", 7), result("c1"), call("c2", 8), message("b")])
        assert fold([Record("s", "snapshot", None, before.to_json())]) == before

    def test_a_late_call_of_a_step_joins_its_siblings(self) -> None:
        view = fold([call("c1", 1), result("c1"), message("m"), call("c2", 1), result("c2")])
        assert shape(view) == ["c1=ok+c2=ok", "m"]


class TestTrimmed:
    def blocks(self, *records: Record, keep: int) -> list[str]:
        return shape(fold(records).trimmed(keep, "SUMMARY"))

    def test_old_blocks_become_a_summary(self) -> None:
        assert self.blocks(*[message(str(n)) for n in range(5)], keep=2) == ["SUMMARY", "3", "4"]

    def test_nothing_to_cut_changes_nothing(self) -> None:
        view = fold([message("a")])
        assert view.trimmed(5, "SUMMARY") is view

    def test_an_open_call_moves_the_cut_before_it(self) -> None:
        records = [message("a"), call("c1", 1), call("c2", 2), result("c2"), call("c3", 3)]
        assert self.blocks(*records, keep=1) == ["SUMMARY", "c1?", "c2=ok", "c3?"]

    def test_a_batch_is_never_split(self) -> None:
        records = [message("a"), call("c1", 1), call("c2", 1), result("c1"), result("c2")]
        assert self.blocks(*records, keep=1) == ["SUMMARY", "c1=ok+c2=ok"]

    def test_deferred_messages_and_the_last_step_stay(self) -> None:
        view = fold([message("a"), message("b"), call("c1", 9), message("later")])
        after = view.trimmed(1, "SUMMARY")
        assert (after.deferred, after.step) == (view.deferred, 9)
