"""The floor under an apply: the same bytes written and synced, by temp file and rename.

`python -m benchmarks.plain_write TARGET APPLIED` gives every Python file of TARGET the
content that it has in APPLIED.
"""

import os
import sys
from pathlib import Path


def rewrite(target: Path, applied: Path) -> None:
    """Writes each file that differs beside the old one, syncs it and renames it."""
    folders = set()
    for new in sorted(applied.rglob("*.py")):
        old = target / new.relative_to(applied)
        data = new.read_bytes()
        if data == old.read_bytes():
            continue
        beside = old.with_suffix(".new")
        with beside.open("xb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        beside.rename(old)
        folders.add(old.parent)
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


if __name__ == "__main__":
    rewrite(Path(sys.argv[1]), Path(sys.argv[2]))
