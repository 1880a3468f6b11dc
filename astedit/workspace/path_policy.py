"""Which paths an edit may touch: one table, data only.

*Never*: nothing admits an edit. *Protected*: kept out as `blocked` unless the caller says
`--allow-protected`; these files run programs or pin what gets installed. Names are
compared as the most forgiving file system would: on macOS and Windows `.GIT`, `.g\u200cit`,
`.git.`, `.git::$INDEX_ALLOCATION` and `GIT~1` all open `.git`.
"""

import re
from itertools import pairwise
from typing import Literal

PathClass = Literal["never", "protected"]

_NEVER_DIRECTORIES = frozenset({".git", ".githooks", ".husky"})
_PROTECTED_DIRECTORIES = frozenset({".vscode", ".idea", ".cursor", ".claude"})
_PROTECTED_PLACE = (".github", "workflows")
_PROTECTED_NAMES = frozenset(
    {
        ".mcp.json",
        "sitecustomize.py",
        "usercustomize.py",
        # lockfiles whose suffix does not say so
        "go.sum",
        "go.work.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pnpm-lock.yaml",
        "pylock.toml",
        ".terraform.lock.hcl",
    }
)
_PROTECTED_SUFFIXES = (".lock", ".lockb", ".lockfile", ".pth")
# What decides who may apply what: an edit of it is a person's decision under every policy.
# Of the last one that is so where its table `[tool.astedit]` changes.
GOVERNING = frozenset({"astedit.toml", "sgconfig.yml", "sgconfig.yaml"})
PROJECT = "pyproject.toml"
_VENDORED = frozenset({"node_modules", "vendor", "third_party", "site-packages"})

# What HFS+ ignores in names (git's `next_hfs_char`, CVE-2014-9390).
_INVISIBLE = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_SHORT_GIT = re.compile(r"git~[0-9]+")  # NTFS's 8.3 name of `.git`


def classify(path: str) -> PathClass | None:
    """The class of a path relative to the root; None for what may be edited."""
    parts = [plain_name(part) for part in re.split(r"[/\\]", path)]
    if not _NEVER_DIRECTORIES.isdisjoint(parts) or any(map(_SHORT_GIT.fullmatch, parts)):
        return "never"
    name = parts[-1]
    if (
        name in _PROTECTED_NAMES
        or name.endswith(_PROTECTED_SUFFIXES)
        or not _PROTECTED_DIRECTORIES.isdisjoint(parts)
        or _PROTECTED_PLACE in pairwise(parts)
    ):
        return "protected"
    return None


def plain_name(name: str) -> str:
    """A name (of a path: its last one) as a forgiving file system compares it."""
    name = name.rpartition("/")[2]
    visible = _INVISIBLE.sub("", name)
    return visible.partition(":")[0].rstrip(". ").casefold()


def is_vendored(path: str) -> bool:
    """Whether a file lies in a directory of other people's code, by the directory's name."""
    return not _VENDORED.isdisjoint(path.split("/")[:-1])
