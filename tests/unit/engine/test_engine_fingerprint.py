"""The fingerprint, computed by hand from the document that it is the hash of."""

import hashlib
import json
from pathlib import Path

import pytest

from astedit.engine.fingerprint import PLAN_FORMAT, fingerprint, request_part
from astedit.engine.request import request_of
from astedit.model.edit import FileOperation, FilePlan
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

REQUEST = request_of({"ops": [{"pat": "f", "out": "g"}], "paths": ["."]})


@pytest.mark.parametrize(("operation", "mode", "new_mode", "source", "more"), ROWS["modes"])
def test_a_mode_is_part_of_it_where_the_plan_sets_one(
    operation: FileOperation,
    mode: int,
    new_mode: int | None,
    source: str | None,
    more: list[object],
) -> None:
    file = FilePlan("a.py", operation, "1", "2", mode, 1, [])
    file.new_mode, file.source = new_mode, source
    document = {
        "v": 2,
        "engine": {"plan": PLAN_FORMAT, "grammars": []},
        "request": request_part(REQUEST),
        "files": [["a.py", operation, "1", "2", [], *more]],
    }
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert fingerprint(REQUEST, [file], []) == hashlib.sha256(text.encode()).hexdigest()
