"""Rules and a text to scan, and the findings of `ast-grep scan` in a project."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import tree
from tests.support.project import Project

AST_GREP = Path(sys.executable).with_name("ast-grep")
TEXTS = tree("scans")
RULES = TEXTS["rules.yml"]
JS = "function f() {\n    console.log(foo(1, 2), 'é');\n    foo('é', [\n      1,\n    ]);\n}\n"
IGNORING = TEXTS["ignoring.yml"]


needs_ast_grep = pytest.mark.skipif(
    not AST_GREP.exists(), reason="ast-grep is a development dependency"
)


def peer(project: Project, *args: str) -> Any:
    done = subprocess.run(
        [str(AST_GREP), "scan", *args], cwd=project.root, capture_output=True, check=False
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def in_order(items: Any) -> list[Any]:
    return sorted(items, key=lambda one: (one["file"], one["range"]["byteOffset"]["start"]))


FLAWED = "id: x\nlanguage: js\nrule: {pattern: 'foo($A, b'}\nfix: bar\n"
