"""The queue of tool choices, and the form that each provider wants."""

from __future__ import annotations

import pytest

from resolve import ToolChoiceQueue, forced


class TestQueue:
    def test_an_empty_queue_asks_for_nothing(self) -> None:
        queue = ToolChoiceQueue()
        assert queue.next_tool_choice() is None
        assert (queue.has_in_flight, queue.inspect()) == (False, [])
        assert queue.consume_last_served_label() is None

    def test_directives_are_served_in_order_and_now_goes_first(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_once("a", label="a")
        queue.push_once("b", label="b")
        queue.push_once("c", label="c", now=True)
        assert queue.inspect() == ["c", "a", "b"]
        assert [queue.next_tool_choice() for _ in range(4)] == ["c", "a", "b", None]

    def test_a_sequence_is_served_one_choice_a_call(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_sequence(["a", "b"], label="both")
        queue.push_once("c")
        served = []
        while (choice := queue.next_tool_choice()) is not None:
            served.append(choice)
            queue.resolve()
        assert served == ["a", "b", "c"]

    def test_a_resolved_choice_tells_its_callback_and_leaves_its_label_once(self) -> None:
        queue, told = ToolChoiceQueue(), []
        queue.push_once("a", label="first", on_resolved=lambda: told.append("resolved"))
        queue.next_tool_choice()
        assert queue.has_in_flight
        queue.resolve()
        assert told == ["resolved"]
        assert queue.consume_last_served_label() == "first"
        assert queue.consume_last_served_label() is None
        assert not queue.has_in_flight

    def test_a_requeued_choice_comes_back_first_as_it_was(self) -> None:
        queue, reasons = ToolChoiceQueue(), []

        def again(reason: str) -> str:
            reasons.append(reason)
            return "requeue"

        queue.push_once("a", label="mine", on_rejected=again)
        queue.push_once("b")
        queue.next_tool_choice()
        queue.reject("aborted")
        assert (queue.inspect(), reasons) == (["mine", "anonymous"], ["aborted"])
        assert queue.next_tool_choice() == "a"

    def test_a_dropped_choice_does_not_come_back(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_once("a", on_rejected=lambda: "drop")
        queue.next_tool_choice()
        queue.reject("error")
        assert queue.next_tool_choice() is None

    def test_a_requeued_part_of_a_sequence_keeps_its_place(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_sequence(["a", "b"]).on_rejected = lambda reason: "requeue"
        queue.next_tool_choice()
        queue.reject("error")
        assert [queue.next_tool_choice() for _ in range(2)] == ["a", "b"]

    def test_an_invoker_that_never_ran_was_not_invoked(self) -> None:
        queue, reasons = ToolChoiceQueue(), []
        queue.push_once("a", on_invoked=print, on_rejected=lambda r: reasons.append(r) or "requeue")
        queue.next_tool_choice()
        queue.resolve()
        assert reasons == ["not_invoked"]
        assert queue.consume_last_served_label() is None

    def test_an_invoker_that_ran_was(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_once("a", label="x", on_invoked=lambda given: given * 2)
        assert queue.peek_in_flight_invoker() is None
        queue.next_tool_choice()
        invoker = queue.peek_in_flight_invoker()
        assert invoker is not None
        assert invoker(21) == 42
        queue.resolve()
        assert queue.consume_last_served_label() == "x"

    def test_remove_by_label_drops_what_is_queued_and_in_flight(self) -> None:
        queue, reasons = ToolChoiceQueue(), []
        for label in ("x", "y", "x"):
            queue.push_once(label, label=label, on_rejected=reasons.append)
        queue.next_tool_choice()
        queue.remove_by_label("x")
        assert (queue.has_in_flight, queue.inspect()) == (False, ["y"])
        assert reasons == ["removed", "removed"]

    def test_clear_empties_it_even_against_its_callbacks(self) -> None:
        queue = ToolChoiceQueue()
        queue.push_once("a", on_rejected=lambda reason: "requeue")
        queue.push_once("b", on_rejected=lambda reason: queue.push_once("again"))
        queue.next_tool_choice()
        queue.clear()
        assert (queue.next_tool_choice(), queue.inspect()) == (None, [])


@pytest.mark.parametrize(
    ("provider", "choice"),
    [
        ("anthropic", {"type": "tool", "name": "resolve"}),
        ("openai", {"type": "function", "function": {"name": "resolve"}}),
        ("google", {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["resolve"]}}),
        ("mcp", None),
    ],
)
def test_each_provider_has_its_form(provider: str, choice: object) -> None:
    assert forced("resolve", provider) == choice


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(ValueError, match="cohere"):
        forced("resolve", "cohere")
