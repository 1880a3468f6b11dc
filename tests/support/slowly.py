"""Which cases of a test run each time, and which in the slow run only."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def slow_after(
    count: int,
    names: str,
    values: Iterable[Any],
    ids: Iterable[str] | Callable[[Any], str] | None = None,
) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize`, of which only the first `count` cases are in the default run.

    For cases of one kind that take long: put those first that have least in common.
    """

    def case(index: int, value: Any) -> Any:
        if index < count:
            return value
        values = value if "," in names else (value,)
        return pytest.param(*values, marks=pytest.mark.slow)

    cases = [case(index, value) for index, value in enumerate(values)]
    return pytest.mark.parametrize(names, cases, ids=ids)
