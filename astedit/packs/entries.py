"""An entry of `packs:` into sgconfig.yml and out of it, a line at a time.

Comments and layout stay. The file is written only if it then says just what it should.
"""

import os

from astedit.errors import RequestError
from astedit.rule.project import read_file
from astedit.rule.yaml import read_yaml
from astedit.transaction.user_files import create, replace
from astedit.workspace.root import Workspace


def add_entry(workspace: Workspace, config: str, text: str) -> None:
    """Adds a source; a missing file is begun. Raises `RequestError` where no line will do."""
    item = f"- {_scalar(text)}"
    content = _text(workspace, config)
    if content is None:
        _write(workspace, config, None, f"ruleDirs: []\npacks:\n{item}\n", text, True)
        return
    lines = content.split("\n")
    at = next((n for n, line in enumerate(lines) if line.split("#")[0].rstrip() == "packs:"), None)
    if at is None:
        break_ = "" if content.endswith("\n") or not content else "\n"
        _write(workspace, config, content, f"{content}{break_}packs:\n{item}\n", text, True)
        return
    following = lines[at + 1] if at + 1 < len(lines) else ""
    indent = following[: len(following) - len(following.lstrip())]
    lines.insert(at + 1, (indent if following.lstrip().startswith("-") else "") + item)
    _write(workspace, config, content, "\n".join(lines), text, True)


def remove_entry(workspace: Workspace, config: str, text: str) -> None:
    """Takes a source out. Raises `RequestError` where no line will do."""
    content = _text(workspace, config) or ""
    quoted = text.replace("'", "''")
    items = {f"- {text}", f"- '{quoted}'", f'- "{text}"'}
    lines = content.split("\n")
    kept = [line for line in lines if line.split(" #")[0].strip() not in items]
    at = next((n for n, line in enumerate(kept) if line.rstrip() == "packs:"), None)
    if at is not None and not any(line.lstrip().startswith("-") for line in kept[at + 1 : at + 2]):
        del kept[at]
    _write(workspace, config, content, "\n".join(kept), text, False)


def _scalar(text: str) -> str:
    plain = text[0] not in "'\"" and "#" not in text and ": " not in text and text.isascii()
    quoted = text.replace("'", "''")
    return text if plain else f"'{quoted}'"


def _text(workspace: Workspace, config: str) -> str | None:
    if not os.path.lexists(os.path.join(workspace.root, config)):
        return None
    return read_file(workspace, config).decode("utf-8", "surrogateescape")


def _write(
    workspace: Workspace, config: str, old: str | None, new: str, text: str, present: bool
) -> None:
    content = new.encode("utf-8", "surrogateescape")
    try:
        (document,) = read_yaml(content, config)
        listed = [x.get("use") if isinstance(x, dict) else x for x in document.get("packs") or ()]
    except (RequestError, ValueError, AttributeError):
        listed = None
    if listed is None or (text in listed) != present or new == old:
        what = "Add" if present else "Take out"
        hint = f"{what} {text!r} by hand below `packs:`, and run astedit pack update."
        raise RequestError(f"{config} cannot be changed line by line.", hint=hint, path=config)
    if old is None:
        create(workspace.fd, config, content)
    else:
        replace(workspace.fd, config, old.encode("utf-8", "surrogateescape"), content)
