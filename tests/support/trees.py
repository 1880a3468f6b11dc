"""Small directories of code, drawn by hypothesis, and plans computed over them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from astedit.engine.request import request_of
from astedit.engine.run.plan import compute
from astedit.engine.run_context import Start
from astedit.model.plan import Plan
from astedit.workspace.root import Workspace

Tree = Mapping[str, bytes]  # path relative to the root, and content

_CALLS = ("foo({})", "bar({})", "x = foo({})", "foo(bar({}), 1)", "foo(foo({}))", "pass_({})")
_ARGUMENTS = ("", "1", "a, b", "a, b, c", "'größe'", "[1,\n   2]", "a,")
_LINES = st.builds(str.format, st.sampled_from(_CALLS), st.sampled_from(_ARGUMENTS))
_NAMES = ("a", "b", "deep/a", "deep/er/c", "with space", "größe", "new\nline", 'quo"te')
_HEADS = (b"", b"\xef\xbb\xbf", b"# coding: latin-1\n# gr\xf6\xdfe\n")

OPS = st.lists(
    st.sampled_from(
        [
            ("foo($$$A)", "baz($$$A)"),
            ("foo($A, $B)", "foo($B, $A)"),
            ("bar($A)", "[$A,\n $A]"),
            ("bar($$$A)", ""),
            ("x = $V", "y = $V"),
            ("pass_($$$A)", "print($$$A)  # was pass_"),
        ]
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda op: op[0],
).map(lambda ops: [{"pat": pat, "out": out} for pat, out in ops])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Python with either newline, with or without a last one, a BOM or another encoding."""
    head = draw(st.sampled_from(_HEADS))
    text = "\n".join(draw(st.lists(_LINES, max_size=6))) + draw(st.sampled_from(["", "\n"]))
    data = text.encode("latin-1" if b"latin-1" in head else "utf-8")
    return (head + data).replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\r\n"])))


TREES: st.SearchStrategy[Tree] = st.dictionaries(
    st.sampled_from([f"{name}.py" for name in _NAMES]), contents(), min_size=1, max_size=6
)


def write(root: Path, tree: Tree, order: Sequence[str] | None = None) -> Path:
    """The tree as files below a root that exists, written in an order."""
    for path in order or tree:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(tree[path])
    return root


def read(root: Path) -> dict[str, bytes]:
    """Every file below a root."""
    files = [Path(folder) / name for folder, _, names in os.walk(root) for name in names]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def plan_of(root: Path, ops: Sequence[Mapping[str, str]], **options: Any) -> Plan:
    """The plan of a request over a root, computed in this process alone."""
    with Workspace(root) as workspace:
        request = request_of({"ops": ops, "paths": ["."], **options})
        with Start(request, workspace, jobs=1, inline=True, names="") as start:
            return compute(request, workspace, start)[0]
