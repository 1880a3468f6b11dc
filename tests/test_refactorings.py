"""Runs every text file below `fixtures/refactor/`: an operation on a small tree of files.

    An import beside the definition that stands in for it.
    rename: m.py::loads parse
    -- m.py --
    ...
    -- m.py (after) --
    ...

The first header is the operation with its arguments, as the folder says; those below are its
options, a list has a line for each item. In `extract/` `«code»` is what is selected. What has no
`(after)` part must stay, but for the paths of `deleted:`. Expectations: `error:` with a part
of its `message:`; `listed:`, the places that are not changed with the reason, one a line.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import AstEditError
from tests.support.cases import FIXTURES, accepted, bare_case
from tests.support.refactoring import planned, result, selected, tree_of

CASES = sorted((FIXTURES / "refactor").rglob("*.txt"))
LISTS = ("add", "remove", "rename", "keyword_only")
EXPECTED = ("deleted", "error", "message", "listed")


def arguments(kind: str, words: Sequence[str], files: dict[str, str]) -> list[Any]:
    """What the operation is called with."""
    if kind == "move":
        return [words[:-1], words[-1]]
    if kind == "extract":
        return [words[0], selected(files), *words[1:]]
    return [*words]


def option(key: str, value: str) -> Any:
    return value.split("\n") if key in LISTS else {"true": True}.get(value, value)


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    case, ((kind, words), *headers) = bare_case(path)
    assert kind == path.parent.name and case.reason.endswith(".")
    wanted = {key: value for key, value in headers if key in EXPECTED}
    options = {key: option(key, value) for key, value in headers if key not in EXPECTED}
    files = {name: text.decode() for name, text in case.before.items()}
    args = arguments(kind, shlex.split(words), files)
    tree_of(tmp_path, files)
    if "error" in wanted:
        with pytest.raises(AstEditError) as refused:
            planned(tmp_path, kind, *args, **options)
        assert refused.value.code == wanted["error"]
        assert wanted["message"] in str(refused.value)
        assert ":" not in str(refused.value.path)  # the place is in the message
        assert str(refused.value).split("\n")[0].rstrip(".:").endswith("nothing was staged")
        return
    plan = planned(tmp_path, kind, *args, **options)
    after = result(tmp_path, plan)
    if pytestconfig.getoption("--accept"):
        changed = {name: text.encode() for name, text in after.items() if files.get(name) != text}
        path.write_bytes(accepted(case, changed).encode())
        return
    assert files.keys() - after.keys() == set(wanted.get("deleted", "").split())
    stays = {name: text for name, text in files.items() if name in after}
    assert after == stays | {name: text.decode() for name, text in case.after.items()}
    if "listed" in wanted:
        places = [re.sub(r"^not changed: |: \S+ may be this one", "", hint) for hint in plan.hints]
        assert places[1:] == wanted["listed"].split("\n")


def test_reasons_differ() -> None:
    reasons = [bare_case(path)[0].reason for path in CASES]
    assert len(reasons) == len(set(reasons))
