"""`within` in files that are not in UTF-8: the engine and `locate` mean the same bytes."""

import pytest

import astedit
from tests.support.project import Project

PYTHON = "# café\ndef other():\n    call('é')\n\n\ndef mine():\n    call('é')\n"
SCRIPT = "// caf\u00e9 \u20ac\nclass A { m() { call(1) } }\nclass B { m() { call(1) } }\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
@pytest.mark.parametrize(
    ("name", "text", "within"), [("a.py", PYTHON, "mine"), ("a.js", SCRIPT, "B.m")]
)
def test_an_edit_within_a_file_in_another_encoding(
    project: Project, encoding: str, name: str, text: str, within: str
) -> None:
    raw = text.replace("€", "").encode(encoding)
    project.put(name, raw)
    project.put("plain.py", "def mine(): pass\n" if encoding != "utf-16" else "x = 1\n")
    ident = f"{name}::{within}"
    done = project(
        "edit", "-p", "call($A)", "-r", "made($A)", "--within", ident, "--encoding", encoding,
        "--apply", "--reason", "r",
    )  # fmt: skip
    assert done.code == 0, done.err
    head, _, tail = raw.rpartition("call".encode(encoding)[-8 if encoding == "utf-16" else -4 :])
    made = "made".encode("utf-16-le" if encoding == "utf-16" else encoding)
    assert (project.root / name).read_bytes() == head + made + tail


def test_a_name_that_only_the_encoding_spells(project: Project) -> None:
    project.put("a.js", "class Größe { m() { call(1) } }\n".encode("latin-1"))
    found = astedit.search("call($A)", within="Größe", encoding="latin-1", root=project.root)
    assert [one.text for one in found.matches] == ["call(1)"]
    with pytest.raises(astedit.AstEditError, match="No symbol"):
        astedit.search("call($A)", within="Größe", root=project.root)


def test_what_an_encoding_makes_of_a_file_is_not_kept(project: Project) -> None:
    text = "class Gr\u00f6\u00dfe { m() { call(1) } }\n" + "// \u00e9\n" * 20_000
    project.put("a.js", text.encode("latin-1"))
    command = ("search", "-p", "call($A)", "--within", "m")
    assert project(*command, "--encoding", "latin-1").code == 0
    assert not list(project.state.rglob("names.db"))
    assert project(*command).code == 0
    assert list(project.state.rglob("names.db"))
