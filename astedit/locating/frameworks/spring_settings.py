"""The context path of a Spring application: what its settings put before every route."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

FILES = ("application.properties", "application.yml", "application.yaml")
_SET = re.compile(rb"^\s*(?:[\w.-]*\.)?context-path\s*[:=]\s*['\"]?(/[^\s'\"#]*)", re.MULTILINE)


class ContextPath(NamedTuple):
    """A path, and the settings file and line that set it."""

    text: str
    file: str
    line: int


def context_path(
    root: str, files: Iterable[str], read: Callable[[str], bytes | None]
) -> ContextPath | None:
    """The context path for routes below the source root `root`, from one of the `files`.

    Settings are those of the same source root, or of the module around it. `read` gives
    the bytes of a file, None if it has none.
    """
    home = "" if root == "." else root.removesuffix("src").rstrip("/")
    for file in files:
        if home and not file.startswith(f"{home}/"):
            continue
        raw = read(file)
        setting = _SET.search(raw) if raw is not None else None
        if raw is not None and setting is not None:
            line = raw.count(b"\n", 0, setting.start(1)) + 1
            return ContextPath(setting[1].decode("utf-8", "replace"), file, line)
    return None
