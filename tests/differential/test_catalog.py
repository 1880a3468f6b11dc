"""ast-grep's public catalog: every rule on its own example, with both tools.

The pages are not ours and not here: `ASTEDIT_CATALOG` names the directory `website/catalog`
of the repository ast-grep/ast-grep.github.io. Without it nothing runs.
"""

import base64
import json
import os
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import plan_buffer, scan_buffer
from astedit.errors import RequestError
from astedit.rule import read_rules
from astedit.text.source import splice

pytestmark = pytest.mark.slow
AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
CATALOG = os.environ.get("ASTEDIT_CATALOG")
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PLAYGROUND = re.compile(r"playground#([A-Za-z0-9+/=_-]+)")
_SHELL = ("bash", "shell", "sh")

# Where a fix differs by more than white space: the row of docs/deviations.md.
FIXES = {
    "python/rewrite-sqlalchemy-mapped-column": "T6",  # one of its joins is of nothing
    "rust/rewrite-indoc-macro": "F12",  # its playground writes what does not parse
    "typescript/speed-up-barrel-import": "F5",  # the `;` of the import stays
}
REFUSED = {"dart/find-calls-by-callee-name": "R-3"}


class Example(NamedTuple):
    """One rule file and the code it is shown on."""

    page: str
    rules: str
    code: str


def examples() -> Iterator[Example]:
    for path in sorted(Path(CATALOG or "/nonexistent").rglob("*.md")):
        page = f"{path.parent.name}/{path.stem}"
        blocks = _BLOCK.findall(path.read_text())
        rules = [text for name, text in blocks if name in ("yaml", "yml") and "rule:" in text]
        codes = [
            text
            for name, text in blocks
            if text not in rules and "[!code" not in text and name not in _SHELL
        ]
        yield from (
            Example(page, completed(rule, path.parent.name), code)
            for rule in rules
            for code in codes
        )
        yield from of_playground(page, path.read_text())


def of_playground(page: str, text: str) -> Iterator[Example]:
    """What the link of a page opens: its rule, or its pattern and rewrite."""
    if (found := _PLAYGROUND.search(text)) is None:
        return
    state = json.loads(base64.b64decode(found[1] + "=" * (-len(found[1]) % 4)))
    if state.get("mode") == "Config":
        yield Example(page, completed(state["config"], state["lang"]), state["source"])
    elif state.get("query"):
        made = {"id": "r", "language": state["lang"], "rule": {"pattern": state["query"]}}
        if state.get("rewrite"):
            made["fix"] = state["rewrite"]
        yield Example(page, json.dumps(made), state["source"])


def completed(rules: str, language: str) -> str:
    """The documents with the id and the language that the pages leave out."""
    made = []
    for at, document in enumerate(re.split(r"^---\s*$", rules, flags=re.MULTILINE)):
        for key, value in (("language", language), ("id", f"r{at}")):
            if not re.search(rf"^{key}:", document, re.MULTILINE):
                document = f"{key}: {value}\n{document.lstrip()}"
        made.append(document.strip("\n") + "\n")
    return "---\n".join(made)


def theirs(folder: Path, example: Example, name: str) -> tuple[list[dict[str, Any]], str] | None:
    """ast-grep's findings, and the file after its fixes; None if it refuses the rules."""
    (folder / name).write_text(example.code)
    command = [AST_GREP, "scan", "--inline-rules", example.rules]
    done = subprocess.run([*command, "--json", name], cwd=folder, capture_output=True)
    if b"Cannot parse rule" in done.stderr:
        return None
    subprocess.run([*command, "-U", name], cwd=folder, capture_output=True)
    return json.loads(done.stdout), (folder / name).read_text()


def places(findings: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What is compared of findings: which rule says what, about which nodes."""
    return sorted(
        (
            one["ruleId"], one["severity"], one["message"],
            *one["range"]["byteOffset"].values(),
            sorted(label["text"] for label in one["labels"]),
        )
        for one in findings
    )  # fmt: skip


def dense(text: str) -> str:
    """Text without white space, which is F8's and F14's."""
    return "".join(text.split())


@pytest.mark.skipif(CATALOG is None, reason="ASTEDIT_CATALOG names no catalog")
@pytest.mark.parametrize("example", list(examples()), ids=lambda one: one.page)
def test_the_catalog_runs_unchanged(example: Example, tmp_path: Path) -> None:
    try:
        rules = read_rules(example.rules.encode())
        row = rules[0].languages[0]
        name = f"example.{row.suffixes[0]}"
        request = rule_request(rules)
        found = scan_buffer(request, name, row, example.code.encode())
    except RequestError:
        assert theirs(tmp_path, example, "example.txt") is None or example.page in REFUSED
        return
    answer = theirs(tmp_path, example, name)
    assert answer is not None
    findings, fixed = answer
    assert places(found) == places(findings)
    plan = plan_buffer(request, name, row, example.code.encode())
    edits = [(edit.start, edit.end, edit.new) for file in plan.files for edit in file.edits]
    ours = splice(example.code.encode(), edits).decode()
    assert dense(ours) == dense(fixed) or example.page in FIXES
