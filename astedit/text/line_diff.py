"""Which lines differ between two contents whose edits are not known."""

from io import BytesIO

from astedit.text.splice import Change

_MOST = 2_000_000  # pairs of lines to compare; more would take seconds


def changed_lines(before: bytes, after: bytes) -> list[Change]:
    """Changes of whole lines that turn `before` into `after`; one large one where many differ."""
    old, new = BytesIO(before).readlines(), BytesIO(after).readlines()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone, new_lines = old[head : len(old) - tail], new[head : len(new) - tail]
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    if len(gone) * len(new_lines) > _MOST:
        return [(starts[head], starts[head + len(gone)], b"".join(new_lines))]
    from difflib import SequenceMatcher  # most edits need none of it

    blocks = SequenceMatcher(None, gone, new_lines, autojunk=False).get_opcodes()
    return [
        (starts[head + i], starts[head + j], b"".join(new_lines[k:m]))
        for kind, i, j, k, m in blocks
        if kind != "equal"
    ]
