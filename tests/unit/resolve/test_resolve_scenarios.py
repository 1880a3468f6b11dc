"""Every scenario that the gate promises to hold in has tests, found here by name."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

GATE = {
    "nothing pending": "nothing_pending_says_so",
    "apply": "apply_runs_the_handler_and_closes_the_action",
    "discard without reject": "discard_without_reject_says_what_was_dropped",
    "discard with reject": "reject_answers_a_discard",
    "reject returns None": "reject_that_returns_nothing_leaves_the_default",
    "reject raises": "reject_that_raises_is_not_wrapped_and_keeps_the_action",
    "apply raises ToolError": "a_tool_error_passes_through_unchanged",
    "apply raises anything else": "any_other_error_is_an_apply_failure",
    "the hook raises too": "the_error_hook_runs_first_and_never_hides_the_failure",
    "retry after a failed apply": "a_failed_apply_keeps_its_place_and_can_be_tried_again",
    "stacked actions, newest first": "stacked_actions_resolve_newest_first",
    "target in the middle": "a_target_in_the_middle_leaves_the_others",
    "foreign, without target": "several_foreign_actions_need_a_target",
    "foreign, alone or with target": "a_session_never_answers_for_another_even_with_its_only_one",
    "standing handler only": "a_standing_handler_answers_when_nothing_is_pending",
    "invoker before standing": "a_queue_invoker_comes_before_everything_but_a_target",
    "newer push in flight": "what_is_staged_in_a_forced_turn_is_not_what_the_turn_resolves",
    "phantom directive": "nothing_to_resolve_clears_a_phantom_directive",
    "forced choice refused": "a_forced_turn_that_fails_three_times_is_never_lost",
    "aborted three times": "an_aborted_loop_goes_on_where_it_was",
    "not invoked": "an_invoker_that_never_ran_was_not_invoked",
    "ignored three times": "three_forced_turns_that_are_ignored_end_the_turn_not_the_action",
    "abort before": "aborted_before_the_start_runs_nothing",
    "abort during": "a_handler_that_watches_the_signal_stops_before_its_commit_point",
    "abort after": "after_the_commit_point_the_signal_is_ignored",
    "sub-agent isolation": "a_sub_agent_keeps_to_its_own_session",
    "reset": "reset_discards_everything_volatile",
    "volatile after restart": (
        "a_volatile_action_of_a_dead_process_is_lost_and_the_first_view_says_so"
    ),
    "volatile elsewhere": "a_volatile_action_of_a_living_process_is_held",
    "handler missing": "a_missing_handler_can_be_discarded_but_not_applied",
    "two processes, one action": "apply_and_discard_of_one_id_have_one_winner",
    "many processes": "each_action_is_applied_exactly_once",
    "the other is told": "a_second_apply_is_told_who_did_it_and_when",
    "label collisions": "the_same_label_twice_is_two_actions",
    "10,000 pending": "ten_thousand_pending_actions_are_listed_at_once",
    "hostile labels": "labels_and_reasons_are_shown_escaped_by_the_tool",
    "store full": "a_full_disk_registers_nothing",
    "store read-only": "a_read_only_file_can_be_listed_and_nothing_else",
}
EXCHANGES = {
    "kill at every write": "a_kill_at_every_write_leaves_one_story",
    "kill in recovery": "a_kill_of_the_recovery_too_leaves_one_story",
    "kill after the intent": "with_every_file_as_before_nothing_has_happened",
    "kill after file 1, 2, n": "with_some_or_all_files_as_after_it_is_finished",
    "kill before the intent": "without_an_intent_the_action_is_still_pending",
    "message while a call is open": "messages_that_arrive_meanwhile_follow_the_result_in_order",
    "two open calls, one answered": "with_two_open_calls_messages_wait_for_both",
    "open call in mid-log": "an_open_call_in_mid_log_is_open_wherever_it_stands",
    "orphan result": "an_orphan_result_becomes_a_message",
    "compaction with an open call": "an_open_call_moves_the_cut_before_it",
    "compaction in a batch": "a_batch_is_never_split",
    "compaction with pending": "compaction_keeps_what_is_open_pending_and_deferred",
    "compaction in an apply": "compaction_is_refused_while_an_apply_is_in_flight",
    "compaction killed": "compaction_killed_half_way_is_whole_or_absent",
    "two sessions, one workspace": "two_sessions_work_on_one_workspace",
    "one session twice": "a_session_is_open_once_and_can_still_be_read",
    "busy": "the_apply_lock_is_waited_for_and_then_busy",
    "lock holder killed": "the_next_resolve_of_anyone_recovers_first",
    "LIFO after recovery": "the_lifo_order_survives_recovery",
    "foreign content": "a_foreign_file_is_never_touched_and_ours_are_restored",
    "a sibling is missing": "a_missing_sibling_is_rolled_back_from_the_images",
    "an image is missing": "missing_bytes_need_attention_until_someone_decides",
    "unknown handler": "a_handler_that_cannot_say_blocks",
    "unparseable arguments": "unparseable_arguments_stay_as_they_came",
    "disk full at the intent": "a_full_disk_at_the_intent_writes_nothing",
    "newer version": "a_file_of_a_newer_version_is_listed_and_never_written",
}


def names_here() -> set[str]:
    """The names of all tests of this folder."""
    trees = [ast.parse(path.read_text()) for path in Path(__file__).parent.glob("test_*.py")]
    functions = [node for tree in trees for node in ast.walk(tree)]
    return {node.name for node in functions if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("scenarios", [GATE, EXCHANGES], ids=["gate", "exchanges"])
def test_every_scenario_has_its_test(scenarios: Mapping[str, str]) -> None:
    found = names_here()
    assert {name for name, test in scenarios.items() if f"test_{test}" not in found} == set()
