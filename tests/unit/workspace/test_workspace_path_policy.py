"""The table of paths no edit may touch, and its disguises."""

import pytest

from astedit.workspace.path_policy import classify, is_vendored


@pytest.mark.parametrize(
    "path",
    [
        ".git", ".git/config", "sub/.git", "sub/.git/hooks/pre-commit", ".GIT/config", ".Git",
        ".g\u200cit/x",
        "\u200d.git", ".git\u200e/x", ".gi\u200ft", ".git\ufeff", ".git.", ".git...", ".git ",
        ".git . /x", "GIT~1",
        "git~2/hooks/x", ".git:stream", ".git::$INDEX_ALLOCATION/config", "a\\.git\\config",
        ".githooks/pre-commit", ".husky/pre-push",
    ],
)  # fmt: skip
def test_never(path: str) -> None:
    assert classify(path) == "never"


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", "sub/.github/workflows/x.yml",
        ".vscode/tasks.json", "a/.idea/x.xml", ".cursor/rules", ".claude/settings.json",
        ".mcp.json",
        ".MCP.json", "uv.lock", "sub/Cargo.lock", "package-lock.json", "go.sum", "pnpm-lock.yaml",
        "bun.lockb", "x.pth", "sitecustomize.py", "lib/usercustomize.py", "poetry.lock ",
        "yarn.lock.",
    ],
)  # fmt: skip
def test_protected(path: str) -> None:
    assert classify(path) == "protected"


@pytest.mark.parametrize(
    "path",
    [
        "a.py", ".gitignore", ".github/CODEOWNERS", "workflows/x.yml", "git/a.py",
        "src/hooks/use.ts",
        "git~x", "mygit~1", "lock.py", "vscode/a.ts", ".gitattributes", "github/workflows/a.py",
        ".github/x/workflows/y.yml", "a.git/x", "caf\udce9.py",
    ],
)  # fmt: skip
def test_anything_else_may_be_edited(path: str) -> None:
    assert classify(path) is None


@pytest.mark.parametrize("name", ["node_modules", "vendor", "third_party", "site-packages"])
def test_vendored_is_a_matter_of_directories(name: str) -> None:
    assert is_vendored(f"{name}/a.py")
    assert is_vendored(f"x/{name}/y/a.py")
    assert not is_vendored(name)
    assert not is_vendored(f"x/my{name}/a.py")
    assert not is_vendored(f"{name}.py")
