"""Our errors pass the gate unchanged; an interrupted transaction says how it ended."""

import pytest

from astedit.errors import StaleError
from astedit.limits import Cancelled
from astedit.staging.outcome import translated
from resolve import AbortError, ToolError


def test_an_error_keeps_its_code_and_its_hint() -> None:
    with pytest.raises(ToolError) as refused, translated():
        raise StaleError("a.py has changed.", hint="Look again.")
    assert (refused.value.code, refused.value.hint) == ("stale", "Look again.")
    assert isinstance(refused.value.__cause__, StaleError)


def test_who_cancels_aborts() -> None:
    with pytest.raises(AbortError, match="stopped"), translated():
        raise Cancelled("stopped")


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("ours")
