"""Rules and a text to scan, and the findings of `ast-grep scan` in a project."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.project import Project

AST_GREP = Path(sys.executable).with_name("ast-grep")
RULES = """
id: no-foo
language: js
severity: warning
rule: {pattern: 'foo($A, $B)', inside: {kind: program, stopBy: end}}
transform: {N: {replace: {source: $A, replace: '1', by: 'é'}}}
message: no foo of $A and $N
note: why $A
labels: {A: {style: secondary, message: here}}
fix: baz($N)
---
id: no-log
language: js
rule: {pattern: console.log($$$A)}
message: nolog
fix: {template: logger($$$A)}
---
id: plain
language: python
severity: error
rule: {kind: call, has: {field: function, regex: ^print$}}
"""
JS = "function f() {\n    console.log(foo(1, 2), 'é');\n    foo('é', [\n      1,\n    ]);\n}\n"
IGNORING = """
id: py-foo
language: py
rule: {pattern: foo($A)}
---
id: no-foo
language: js
rule: {pattern: foo($A)}
---
id: no-bar
language: js
rule: {pattern: bar($A)}
"""


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
