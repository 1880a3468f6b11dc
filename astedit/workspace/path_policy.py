"""Which paths an edit may touch: one table, and what a file's first bytes say.

*Never*: nothing admits an edit. *Protected*: kept out as `blocked` unless a person says
`--allow-protected`; these files run programs, say which may run, or pin what gets installed.
*Noted*: edited like any other, and named in the label, the preview and the approval, since
they run by themselves. Names are compared as the most forgiving file system would: on macOS
and Windows `.GIT`, `.g\u200cit`, `.git.`, `.git::$INDEX_ALLOCATION` and `GIT~1` all open `.git`.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from astedit.limits import GENERATED_WINDOW

if TYPE_CHECKING:
    from astedit.model.request import EditRequest

PathClass = Literal["never", "protected", "noted"]

# `name/` is a directory of that name anywhere, `*.x` an ending, `name*` a beginning; anything
# else is a whole name. The first class that fits counts.
TABLE: dict[PathClass, str] = {
    "never": ".git/ .githooks/ .husky/",
    "protected": """
        .github/ .circleci/ .buildkite/ .woodpecker/ .forgejo/ .gitea/ .azure-pipelines/
        .gitlab-ci.yml .travis.yml .drone.yml appveyor.yml .appveyor.yml
        azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml jenkinsfile
        .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml
        lefthook.yml .lefthook.yml .lefthook/
        .devcontainer/ .devcontainer* .vscode/ .idea/ .zed/
        .claude/ .cursor/ .gemini/ .kiro/ .windsurf/ .opencode/ .codex/ .mcp.json
        opencode.json opencode.jsonc .cursorrules .windsurfrules
        .envrc .npmrc .yarnrc .yarnrc.yml .pypirc .netrc .gitattributes .gitmodules .gitconfig
        sitecustomize.py usercustomize.py *.pth
        *.lock *.lockb *.lockfile astedit-pack.yml go.sum go.work.sum npm-shrinkwrap.json
        package-lock.json package.resolved packages.lock.json pnpm-lock.yaml pylock.toml
        .terraform.lock.hcl
    """,
    "noted": """
        package.json conftest.py setup.py makefile gnumakefile *.mk
        dockerfile dockerfile.* *.dockerfile containerfile
    """,
}
Uneditable = Literal["vendored", "generated"]
_GENERATED = re.compile(rb"@generated|DO NOT EDIT")
_MINIFIED = re.compile(r"\.min\.(js|cjs|mjs|css)\Z", re.IGNORECASE)
_VENDORED = frozenset({"node_modules", "vendor", "third_party", "site-packages"})

# What decides who may apply what: an edit of it is a person's decision under every policy.
# Of the last one that is so where its table `[tool.astedit]` changes.
GOVERNING = frozenset({"astedit.toml", "sgconfig.yml", "sgconfig.yaml"})
PROJECT = "pyproject.toml"

# What HFS+ ignores in names (git's `next_hfs_char`, CVE-2014-9390).
_INVISIBLE = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_SHORT_GIT = re.compile(r"git~[0-9]+")  # NTFS's 8.3 name of `.git`


class _Names:
    """One class of the table, taken apart by the form of its entries."""

    def __init__(self, entries: str) -> None:
        words = entries.split()
        self.directories = {word[:-1] for word in words if word.endswith("/")}
        self.endings = tuple(word[1:] for word in words if word.startswith("*"))
        self.beginnings = tuple(word[:-1] for word in words if word.endswith("*"))
        self.whole = {word for word in words if not word.endswith(("/", "*")) and word[0] != "*"}

    def hold(self, parts: list[str]) -> bool:
        """Whether a path of these names is of the class."""
        name = parts[-1]
        return (
            name in self.whole
            or not self.directories.isdisjoint(parts)
            or name.endswith(self.endings)
            or name.startswith(self.beginnings)
        )


_CLASSES = {path_class: _Names(entries) for path_class, entries in TABLE.items()}


@lru_cache(8_192)  # a preview asks four times of each file
def classify(path: str) -> PathClass | None:
    """The class of a path relative to the root; None for any other."""
    parts = [plain_name(part) for part in re.split(r"[/\\]", path)]
    if any(map(_SHORT_GIT.fullmatch, parts)):
        return "never"
    return next((path_class for path_class, names in _CLASSES.items() if names.hold(parts)), None)


def plain_name(name: str) -> str:
    """A name (of a path: its last one) as a forgiving file system compares it."""
    name = name.rpartition("/")[2]
    return _INVISIBLE.sub("", name).partition(":")[0].rstrip(". ").casefold()


def folded_path(path: str) -> str:
    """A path as file systems compare it that fold case and the forms of Unicode."""
    from unicodedata import normalize  # only where files were named

    return normalize("NFD", normalize("NFD", path).casefold())


def is_vendored(path: str) -> bool:
    """Whether a file lies in a directory of other people's code, by the directory's name."""
    return not _VENDORED.isdisjoint(path.split("/")[:-1])


def kept_out(path: str, raw: bytes, request: "EditRequest") -> Uneditable | None:
    """Why a file is searched but not edited; None if it may be edited."""
    admitted = request.no_ignore
    if is_vendored(path):
        return None if "vendored" in admitted else "vendored"
    return "generated" if "generated" not in admitted and is_generated(path, raw) else None


def bars_edits(path_class: PathClass | None, request: "EditRequest") -> bool:
    """Whether edits in a file of this class of paths are blocked."""
    return path_class == "never" or (path_class == "protected" and not request.allow_protected)


def no_fix_in(
    path: str, raw: bytes, request: "EditRequest"
) -> Uneditable | Literal["protected"] | None:
    """Why no fix of a rule in this file would be made."""
    return "protected" if bars_edits(classify(path), request) else kept_out(path, raw, request)


def is_generated(path: str, raw: bytes) -> bool:
    """`@generated` or `DO NOT EDIT` in the first KiB, or a name such as `a.min.js`."""
    return (
        _MINIFIED.search(path) is not None
        or _GENERATED.search(raw, 0, GENERATED_WINDOW) is not None
    )
