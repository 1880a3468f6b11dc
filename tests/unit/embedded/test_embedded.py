"""Code inside documents: where it is found, and that edits land where they belong."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.embedded.hosts import parts_of, suffixes
from astedit.embedded.part import Part
from astedit.text.source import splice
from tests.support.lists import rows
from tests.support.patience import ends

ROWS = rows(Path(__file__).with_suffix(".txt"))

ALL = {"javascript", "typescript", "tsx", "css", "python", "json", "bash"}


def found(path: str, raw: bytes) -> list[tuple[str, bytes]]:
    return [(part.row.name, part.text) for part in parts_of(path, raw, ALL)]


def replaced(path: str, raw: bytes, old: bytes, new: bytes) -> bytes:
    """The file with the first `old` of every part replaced."""
    changes = []
    for part in parts_of(path, raw, ALL):
        at = part.text.find(old)
        if at >= 0:
            changes += part.back([(at, at + len(old), new)])
    return splice(raw, changes)


@pytest.mark.parametrize(("html", "expected"), ROWS["scripts and styles"])
def test_scripts_and_styles(html: str, expected: list[tuple[str, bytes]]) -> None:
    if "title" in html:  # the tokenizer would know that this is inside an attribute
        expected = [("javascript", b'"></a><script src="x>y">a')]
    assert found("a.html", html.encode()) == expected
    assert found("a.vue", html.encode()) == found("a.svelte", html.encode()) == expected


def test_a_script_is_replaced_in_its_place() -> None:
    raw = b"<p>x</p>\r\n<script>\r\n  x(1)\r\n</script><style>x{}</style>"
    assert replaced("a.vue", raw, b"x", b"yy") == raw.replace(b"  x(", b"  yy(").replace(
        b">x{", b">yy{"
    )


@pytest.mark.parametrize(("text", "expected"), ROWS["fences"])
def test_fences(text: str, expected: list[tuple[str, bytes]]) -> None:
    assert found("a.md", text.encode()) == expected


def test_lines_of_a_fence_keep_its_indentation() -> None:
    assert replaced(
        "a.md", b"- x\n\n  ```py\n  f(a,\n    b)\n  ```\n", b"f(a,\n  b)", b"g(\n    a,\n)"
    ) == (b"- x\n\n  ```py\n  g(\n      a,\n  )\n  ```\n")


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["f(1)"]},
        {"cell_type": "code", "metadata": {}, "source": ["a = f(\"é\")\n", "%time f(2)\n", "f(3)"]},
        {"cell_type": "code", "source": "f(4)\nif x:\n\tf('\\\\')\n",
         "outputs": [{"text": "f(5)"}]},
        {"cell_type": "code", "source": ["%%bash\n", "f(6)"]},
        {"cell_type": "code", "source": []},
        {"cell_type": "raw", "source": ["f(7)"]},
    ],
    "metadata": {"language_info": {"name": "python"}},
}  # fmt: skip


def forms() -> list[bytes]:
    """The same notebook as different programs write it."""
    return [
        json.dumps(NOTEBOOK, indent=1, ensure_ascii=False).encode() + b"\n",
        json.dumps(NOTEBOOK, indent=1).encode(),
        json.dumps(NOTEBOOK, separators=(",", ":"), sort_keys=True).encode(),
        json.dumps(NOTEBOOK, indent="\t").replace("\n", "\r\n").encode(),
    ]


@pytest.mark.parametrize("raw", forms())
def test_cells_are_found_and_magics_masked(raw: bytes) -> None:
    first, second = found("a.ipynb", raw)
    assert first == ("python", 'a = f("é")\n#time f(2)\nf(3)'.encode())
    assert second == ("python", b"f(4)\nif x:\n\tf('\\\\')\n")


@pytest.mark.parametrize("raw", forms())
@pytest.mark.parametrize("new", ["g", 'g("ü\\")', "g(\n    1,\n)\n", "😀", ""])
def test_an_edited_cell_reads_as_it_should_and_all_else_is_the_same(raw: bytes, new: str) -> None:
    after = replaced("a.ipynb", raw, b"f", new.encode())
    before_cells, cells = json.loads(raw)["cells"], json.loads(after)["cells"]
    for at in (1, 2):
        expected = "".join(before_cells[at]["source"]).replace("f", new, 1)
        assert "".join(cells[at]["source"]) == expected
        assert type(cells[at]["source"]) is type(before_cells[at]["source"])
    del before_cells[1:3], cells[1:3]
    assert cells == before_cells
    start = raw.index(b"cell_type")
    assert after[:start] == raw[:start]
    assert after[-30:] == raw[-30:]


def test_new_lines_of_a_cell_are_strings_of_their_own() -> None:
    raw = json.dumps(NOTEBOOK, indent=1, ensure_ascii=False).encode()
    after = replaced("a.ipynb", raw, b"f", b"g(\n 1)")
    assert json.loads(after)["cells"][1]["source"][:2] == ["a = g(\n", ' 1)("é")\n']
    assert '    "a = g(\\n",\n    " 1)(\\"é\\")\\n",\n'.encode() in after


def test_a_masked_line_is_not_to_be_edited() -> None:
    raw = forms()[0]
    part = next(parts_of("a.ipynb", raw, ALL))
    at = raw.index(b"%time")
    assert part.touches_masked(at - 2, at + 3)
    assert not part.touches_masked(at + 1, at + 3)
    assert not part.touches_masked(0, at)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"[]", b"{", b"nope", b'{"cells": 1}', b'{"cells": [1, {"cell_type": "code"}]}',
        b'{"cells": [{"cell_type": "code", "source": [1]}]}', b"[" * 100_000, b'{"a" 1}',
        b'{"cells": [{"cell_type": "code", "source": ["a"]}], "metadata": {"kernelspec": '
        b'{"language": "apl"}}}',
        b'{"cells": [{"cell_type": "code", "source": "\\x"}]}', b'{"cells": [}',
    ],
)  # fmt: skip
def test_what_is_no_notebook_holds_nothing(raw: bytes) -> None:
    assert found("a.ipynb", raw) == []


@pytest.mark.parametrize("size", [50_000])
@pytest.mark.parametrize(("path", "piece"), ROWS["hostile documents take no time"])
def test_hostile_documents_take_no_time(path: str, piece: bytes, size: int) -> None:
    with ends():
        found(path, piece * (size // len(piece)))
        found(path, b"<script>" + piece * (size // len(piece)))


@given(st.binary(max_size=200), st.sampled_from(["a.html", "a.md", "a.ipynb", "a.vue"]))
def test_the_way_back_is_exact(raw: bytes, path: str) -> None:
    document = {
        "a.md": b"```js\n" + raw + b"\n```\n",
        "a.ipynb": json.dumps(
            {"cells": [{"cell_type": "code", "source": [raw.decode("latin-1")]}]}
        ).encode(),
    }.get(path, b"<script>" + raw + b"</script>")
    for part in parts_of(path, document, ALL):
        check(part)


def check(part: Part) -> None:
    """Places only ever go forward, and end where the next begins or before."""
    last = 0
    for at in range(len(part.text)):
        assert last <= part.start(at) <= part.end(at + 1) <= len(part.raw)
        last = part.start(at)


def test_only_documents_that_may_hold_a_language_are_looked_at() -> None:
    assert suffixes(()) == ()
    assert suffixes({"python"}) == ("md", "markdown", "ipynb")
    assert {"vue", "html", "md"} <= set(suffixes({"python", "css"}))
