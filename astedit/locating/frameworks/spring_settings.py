"""The context path of a Spring application: what its settings put before every route."""

import re

from astedit.locating.inventory.inventory import Found, Tree

_FILES = ("application.properties", "application.yml", "application.yaml")
_SET = re.compile(rb"^\s*(?:[\w.-]*\.)?context-path\s*[:=]\s*['\"]?(/[^\s'\"#]*)", re.MULTILINE)


def context_path(tree: Tree, path: str) -> tuple[str, str, int] | None:
    """The context path for routes of the file at `path`: its text, settings file and line.

    Settings are those of the same source root, or of the module around it.
    """
    root = tree.roots.of(path)
    home = "" if root == "." else root.removesuffix("src").rstrip("/")
    for settings in tree.named(_FILES):
        if home and not settings.startswith(f"{home}/"):
            continue
        raw = tree.bytes_of(settings, Found())
        found = _SET.search(raw) if raw is not None else None
        if raw is not None and found is not None:
            line = raw.count(b"\n", 0, found.start(1)) + 1
            return found[1].decode("utf-8", "replace"), settings, line
    return None
