"""Imports that an edit needs, and needs no more. (rule F11)"""

import ast

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import plan_buffer
from astedit.errors import RequestError
from astedit.language import named
from astedit.rule import read_rules
from astedit.rule.failure import RuleError
from astedit.rule.scope import EditedFile, ImportChanges
from astedit.semantic import NAMES
from astedit.semantic.imports import edits
from astedit.text.splice import Change, splice


def import_edits(source: bytes, wanted: list[str], unused: list[str]) -> list[Change]:
    file = EditedFile("a.py", "python", source, source)
    return edits.import_edits(file, ImportChanges(tuple(wanted), tuple(unused)), lenient=True)


NOTHING = [
    ("import os\n", ["import os"], []),
    ("import os as o\n", ["import os as o"], []),
    ("from a import (\n    b,\n)\n", ["from a import b"], []),
    ("import os\nos.x\n", [], ["import os"]),
    ('import os\n__all__ = ["os"]\n', [], ["import os"]),
    ("import os; import sys\n", [], ["import os"]),
    ("import os as os\nfrom a import b as b\n", ["import os", "from a import b"], []),
    ("import os\nfrom a import b\n", ["import os as os", "from a import b as b"], []),
    ("import os\n", ["import os"], ["import os"]),
    ("import os as o\n", [], ["import os"]),
    ("def f():\n    import os\n", [], ["import os"]),
]


@pytest.mark.parametrize("source, wanted, unused", NOTHING)
def test_nothing_to_do(source: str, wanted: list[str], unused: list[str]) -> None:
    assert import_edits(source.encode(), wanted, unused) == []


CASES = [
    ("behind a docstring", '"""doc"""\nx = 1\n', ["import re"], [],
     '"""doc"""\n\nimport re\n\nx = 1\n'),
    ("behind opening comments", "#!/bin/python\n# c\n\nx = 1\n", ["import re"], [],
     "#!/bin/python\n# c\n\nimport re\n\nx = 1\n"),
    ("into an empty file", "", ["import re"], [], "import re\n"),
    ("behind __future__", "from __future__ import annotations\nx = 1\n", ["import re"], [],
     "from __future__ import annotations\n\nimport re\nx = 1\n"),
    ("sorted into its section", "import os\nimport sys  # c\n\nimport attr\n", ["import re"], [],
     "import os\nimport re\nimport sys  # c\n\nimport attr\n"),
    ("a section of its own", "import attr\n", ["import re", "from . import x"], [],
     "import re\n\nimport attr\n\nfrom . import x\n"),
    ("among the names of a statement", "from a import b, d  # c\n", ["from a import c as q"], [],
     "from a import b, c as q, d  # c\n"),
    ("on a line of its own", "from a import (\n    b,\n    d,\n)\n",
     ["from a import c", "from a import e"], [],
     "from a import (\n    b,\n    c,\n    d,\n    e,\n)\n"),
    ("into the last block of its section", "import os\n\nimport sys\nsys\n", ["import abc"], [],
     "import os\n\nimport abc\nimport sys\nsys\n"),
    ("sorted whatever the case", "import attr\nimport Zeta\n", ["import beta"], [],
     "import attr\nimport beta\nimport Zeta\n"),
    ("two at one place", "x = 1\n", ["import re", "import os"], [],
     "import os\nimport re\n\nx = 1\n"),
    ("two of a section that is not there", "import os\n", ["import b", "import a"], [],
     "import os\n\nimport a\nimport b\n"),
    ("two behind the same one", "import os\n", ["import sys", "import re"], [],
     "import os\nimport re\nimport sys\n"),
    ("sections apart", '"""doc"""\nx = 1\n', ["import attr", "import re"], [],
     '"""doc"""\n\nimport re\n\nimport attr\n\nx = 1\n'),
    ("an unused one goes with its comment", "import os  # c\nimport re\nre.x\n", [],
     ["import os"], "import re\nre.x\n"),
    ("under another name as well", "import os\n", ["import os as o"], [],
     "import os\nimport os as o\n"),
    ("an unused one goes", "import os\nimport re\nre.x\n", [], ["import os"],
     "import re\nre.x\n"),
    ("one name of several", "from a import b, c, d\nb, d\n", [], ["from a import c"],
     "from a import b, d\nb, d\n"),
    ("neighbours at the end", "from a import b, c, d\nb\n", [],
     ["from a import c", "from a import d"], "from a import b\nb\n"),
    ("one comes where one goes", "from a import b\nc()\n", ["from a import c"],
     ["from a import b"], "from a import c\nc()\n"),
    ("names of one module in one statement", "import os\n",
     ["from a import d", "from a import c as q", "import a"], [],
     "import os\n\nimport a\nfrom a import c as q, d\n"),
    ("each in a line of its own as the others", "from a import b\nfrom a import d\n",
     ["from a import c", "from q import r", "from q import s"], [],
     "from a import b\nfrom a import c\nfrom a import d\nfrom q import r\nfrom q import s\n"),
    ("line ends are the file's", "import os\r\nx = 1\r\n", ["import re"], [],
     "import os\r\nimport re\r\nx = 1\r\n"),
    ("without a last newline", "import os", ["import re"], [], "import os\nimport re"),
    ("behind a mark", "\ufeffx = 1\n", ["import re"], [], "\ufeffimport re\n\nx = 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    "why, source, wanted, unused, after", CASES, ids=[case[0] for case in CASES]
)
def test_imports(why: str, source: str, wanted: list[str], unused: list[str], after: str) -> None:
    text = source.encode()
    made = import_edits(text, wanted, unused)
    assert [place[:2] for place in made] == sorted({place[:2] for place in made})
    result = splice(text, made)
    assert result.decode() == after
    ast.parse(result)
    assert import_edits(result, wanted, unused) == []


@pytest.mark.parametrize(
    "source",
    [
        "from os import path\npath\n",
        "import b as path\n",
        "def path():\n    pass\n",
        "@d\nclass path:\n    pass\n",
        "path = 1\n",
    ],
)
def test_a_name_that_means_something_else(source: str) -> None:
    """Whichever came later would hide the other."""
    with pytest.raises(RequestError, match="path means something else in the file"):
        import_edits(source.encode(), ["from urls import path"], [])


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    from urls import path\nexcept ImportError:\n    path = None\n",
        "try:\n    from old import path\nexcept ImportError:\n    from urls import path\n",
    ],
)
def test_what_is_tried_is_there(source: str) -> None:
    assert import_edits(source.encode(), ["from urls import path"], []) == []


def test_packages_share_a_name() -> None:
    source = b"import a.b\n"
    assert splice(source, import_edits(source, ["import a.c"], [])) == source + b"import a.c\n"


@pytest.mark.parametrize(
    "text, stays",
    [
        ("'List[url]'", True),
        ("'url'", True),
        ("'m.url'", True),
        ("'x: url = 1'", True),
        ("r'^(?P<url>.*)$'", False),
        ("'the url of a page'", False),
        ("'/url/'", False),
    ],
)
def test_strings_that_may_name_what_is_imported(text: str, stays: bool) -> None:
    source = f"from m import url\nx = {text}\n".encode()
    assert (import_edits(source, [], ["url"]) == []) is stays


@pytest.mark.parametrize(
    "text", ["os", "import a, b", "from a import b.c", "import .a", "import a\nx"]
)
def test_malformed(text: str) -> None:
    with pytest.raises(RequestError):
        import_edits(b"", [text], [])


RULE = """
id: t
language: %s
rule: {pattern: print($A)}
fix: logging.info($A)
imports: %s
"""


def fixed(source: str, imports: str, language: str = "python") -> str:
    row = named(language)
    assert row is not None
    request = rule_request(read_rules((RULE % (language, imports)).encode(), "r.yml"))
    plan = plan_buffer(request, "a.py", row, source.encode(), NAMES)
    made = [(edit.start, edit.end, edit.new) for file in plan.files for edit in file.edits]
    assert plan.total_replacements == source.count("print(")
    return splice(source.encode(), made).decode()


def test_a_fix_brings_its_imports_and_takes_those_it_spares() -> None:
    imports = "{add: import logging, remove: [import sys, from x import y]}"
    source = "import sys\nfrom x import y, z\n\nprint(1)\nprint(z)\n"
    assert fixed(source, imports) == (
        "import logging\nfrom x import z\n\nlogging.info(1)\nlogging.info(z)\n"
    )
    assert fixed("x = 1\n", imports) == "x = 1\n"


@pytest.mark.parametrize(
    "imports, language",
    [
        ("{add: [logging]}", "python"),
        ("{add: [1]}", "python"),
        ("{other: [import a]}", "python"),
        ("[import a]", "python"),
        ("{add: import a}", "javascript"),
        ("{add: 'import type { A } from \"a\"'}", "javascript"),
        ("{add: 'import a, { b } from \"a\"'}", "typescript"),
        ("{add: os}", "go"),
        ("{add: import java.util.List}", "java"),
        ("{prune: 1}", "python"),
        ("{prune: true}", "rust"),
    ],
)
def test_malformed_imports_are_refused(imports: str, language: str) -> None:
    with pytest.raises(RuleError):
        fixed("print(1)\n", imports, language)
