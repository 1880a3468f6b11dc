"""The table of operations is closed: a kind that is in no row is refused by name."""

from pathlib import Path

import pytest

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.request import EditRequest, Operation
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace


def test_an_unknown_kind_is_refused_and_the_known_ones_are_named(tmp_path: Path) -> None:
    request = EditRequest(ops=[], operation=Operation("shout", {}))
    with Workspace(tmp_path) as workspace, pytest.raises(PreconditionError) as refused:
        preview(request, workspace, Run(inline=True))
    assert refused.value.code == "unknown_operation"
    assert "'shout'" in refused.value.message
    assert "rename, set_path, codemod" in str(refused.value.hint)
