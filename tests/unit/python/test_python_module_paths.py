"""Which file an import means, judged by paths alone."""

import pytest

from astedit.python.module_paths import ModulePaths

FILES = [
    "src/pkg/__init__.py", "src/pkg/sub/a.py", "src/pkg/sub/__init__.py", "tests/test_a.py",
    "one/app/main.py", "one/app/api.py", "two/app/main.py", "lib/space/x.py", "main.pyi",
    "old/pkg/__init__.py", "x.py", "plugins/types.py",
]  # fmt: skip


@pytest.mark.parametrize(
    "importer, level, module, path",
    [
        ("tests/test_a.py", 0, "pkg", "src/pkg/__init__.py"),
        ("tests/test_a.py", 0, "pkg.sub.a", "src/pkg/sub/a.py"),
        ("src/pkg/sub/a.py", 1, "", "src/pkg/sub/__init__.py"),
        ("src/pkg/sub/a.py", 2, "sub.a", "src/pkg/sub/a.py"),
        ("src/pkg/sub/a.py", 0, "a", None),
        ("src/pkg/sub/a.py", 9, "x", None),
        ("src/pkg/sub/a.py", 4, "x", "x.py"),
        ("one/app/api.py", 0, "app.main", "one/app/main.py"),
        ("two/app/main.py", 0, "app.api", "one/app/api.py"),
        ("tests/test_a.py", 0, "app.main", None),
        ("tests/test_a.py", 0, "space.x", "lib/space/x.py"),
        ("tests/test_a.py", 0, "main", "main.pyi"),
        ("tests/test_a.py", 0, "json", None),
        ("tests/test_a.py", 0, "types", None),  # Python's, whatever lies elsewhere
        ("plugins/b.py", 0, "types", "plugins/types.py"),
    ],
)
def test_which_file_an_import_means(
    importer: str, level: int, module: str, path: str | None
) -> None:
    assert ModulePaths(FILES).find(importer, level, module) == path
