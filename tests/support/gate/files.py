"""A handler that replaces a few files in one go, to have something to kill half-way."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resolve import PendingAction, Session, ToolError, handlers
from resolve.handlers import Context, Recovered


def digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def stage(session: Session, root: Path, files: Mapping[str, str | None]) -> PendingAction:
    """Stages new contents by name; None deletes."""
    wanted = [
        {"name": name, "new": new, "before": digest(root / name), "after": _hash(new)}
        for name, new in files.items()
    ]
    payload = {"root": str(root), "files": wanted}
    return session.stage(handler="files", payload=payload, label=f"{len(files)} files")


def _hash(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


@handlers.register("files")
class Files:
    """Siblings, intent, swap; recovery and commit are one code path."""

    def apply(self, payload: Any, reason: str, extra: object, context: Context) -> str:
        root = Path(payload["root"])
        for file in payload["files"]:
            if digest(root / file["name"]) != file["before"]:
                raise ToolError(f"{file['name']} has changed.", code="stale")
        for file in payload["files"]:
            if file["new"] is not None:
                sibling(root, file).write_text(file["new"])
        paths = [root / file["name"] for file in payload["files"] if file["before"] is not None]
        images = {str(digest(path)): path.read_bytes() for path in paths}
        context.commit_intent({"files": len(payload["files"])}, images)
        swap(root, payload["files"])
        context.record_files(changed(payload))
        return f"Wrote {len(payload['files'])} files."

    def recover(self, payload: Any, intent: Any, context: Context) -> Recovered:
        root, files = Path(payload["root"]), payload["files"]
        states = {file["name"]: state(root, file) for file in files}
        foreign = [name for name, found in states.items() if found == "foreign"]
        if foreign or not can_finish(root, files):
            return self.roll_back(root, files, foreign, context)
        if set(states.values()) == {"before"}:
            remove_siblings(root, files)
            return Recovered("untouched")
        swap(root, files)
        return Recovered("applied", f"Finished {len(files)} files.", changed(payload))

    def roll_back(
        self, root: Path, files: list[Any], foreign: list[str], context: Context
    ) -> Recovered:
        ours = [file for file in files if state(root, file) == "after"]
        for file in ours:
            if file["before"] is not None and context.image(file["before"]) is None:
                return Recovered("blocked", f"The image of {file['name']} is missing.")
        for file in ours:
            if file["before"] is None:
                (root / file["name"]).unlink()
            else:
                image = context.image(file["before"])
                assert image is not None
                (root / file["name"]).write_bytes(image)
        remove_siblings(root, files)
        if not foreign and not ours:
            return Recovered("untouched")
        return Recovered("rolled_back", f"Not ours: {', '.join(foreign) or 'nothing'}.")


def sibling(root: Path, file: Any) -> Path:
    return root / f".{file['name']}.new"


def state(root: Path, file: Any) -> str:
    found = digest(root / file["name"])
    return {file["before"]: "before", file["after"]: "after"}.get(found, "foreign")


def can_finish(root: Path, files: list[Any]) -> bool:
    return all(
        file["new"] is None
        or state(root, file) == "after"
        or digest(sibling(root, file)) == file["after"]
        for file in files
    )


def swap(root: Path, files: list[Any]) -> None:
    for file in files:
        if state(root, file) == "before":
            if file["new"] is None:
                (root / file["name"]).unlink()
            else:
                os.replace(sibling(root, file), root / file["name"])


def remove_siblings(root: Path, files: list[Any]) -> None:
    for file in files:
        sibling(root, file).unlink(missing_ok=True)


def changed(payload: Any) -> list[dict[str, Any]]:
    return [
        {"path": file["name"], "before": file["before"], "after": file["after"]}
        for file in payload["files"]
    ]
