"""Where a definition writes its own name, which may also stand in its decorators and types."""

from pathlib import Path

import pytest

from astedit.producers.name_places import named_place
from astedit.workspace.root import Workspace

PYTHON = "import tools\n\n@tools.wraps(1)\ndef wraps(a):\n    return a\n"
SCRIPT = "export class Box { @Comp Comp(a: number) { return a } }\nconst arrow = () => 1;\n"
JAVA = "class D { @Deprecated D Deprecated() { return null; } }\n"


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("wraps", ("a.py", "4:5")),
        ("Box.Comp", ("b.ts", "1:26")),
        ("arrow", ("b.ts", "2:7")),
        ("D.Deprecated", ("D.java", "1:25")),
    ],
)
def test_the_name_of_a_definition_is_not_that_in_its_decorators(
    name: str, place: tuple[str, str], tmp_path: Path
) -> None:
    for path, text in (("a.py", PYTHON), ("b.ts", SCRIPT), ("D.java", JAVA)):
        (tmp_path / path).write_text(text)
    with Workspace(str(tmp_path)) as workspace:
        assert named_place(workspace, name, None) == place
