"""Which file an import means, judged by paths alone."""

from pathlib import Path

import pytest

from astedit.python.module_paths import ModulePaths
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

FILES = [
    "src/pkg/__init__.py", "src/pkg/sub/a.py", "src/pkg/sub/__init__.py", "tests/test_a.py",
    "one/app/main.py", "one/app/api.py", "two/app/main.py", "lib/space/x.py", "main.pyi",
    "old/pkg/__init__.py", "x.py", "plugins/types.py",
]  # fmt: skip


@pytest.mark.parametrize(("importer", "level", "module", "path"), ROWS["which file an import"])
def test_which_file_an_import_means(
    importer: str, level: int, module: str, path: str | None
) -> None:
    """`types` is Python's, whatever lies elsewhere."""
    assert ModulePaths(FILES).find(importer, level, module) == path
