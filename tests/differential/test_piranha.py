"""Piranha's own cases: our rule for each, with the shipped packs, comes to what they expect.

`ASTEDIT_PIRANHA_CASES` names the directory of the cases (`test-resources` of uber/piranha). Of a
case `fixtures/cascade/piranha/LANGUAGE/CASE.yml` is what its configuration says, in our words.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

from astedit.errors import AstEditError
from astedit.interface.functions import ast_edit, scan
from astedit.language import for_path, load
from astedit.rule import read_rules
from astedit.text.source import splice

RULES = Path(__file__).parents[2] / "fixtures" / "cascade" / "piranha"
CASES = sorted(str(path.relative_to(RULES).with_suffix("")) for path in RULES.rglob("*.yml"))
THEIRS = os.environ.get("ASTEDIT_PIRANHA_CASES", "")
# What is not equal, and why
DIFFERENT = {
    "java/feature_flag_system_1/treated": "the last constant of an enum takes its comma along",
    "java/handle_syntactically_incorrect_tree": "a file that does not parse is not edited",
    "swift/cleanup_rules": "an `else` of nothing goes",
    "swift/post_processing_cleanup/clean_empty_switch_entry": "a case stays, with a `break`",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not THEIRS, reason="ASTEDIT_PIRANHA_CASES names no directory"),
]


def leaves(node: Node) -> Iterator[bytes]:
    """The tokens below a node, without comments."""
    if node.is_extra or "comment" in node.type:
        return
    if not node.child_count and node.text is not None and node.text.strip():
        yield node.text.strip()
    for child in node.children:
        yield from leaves(child)


def tokens(path: str, text: bytes) -> tuple[list[bytes], list[bytes]]:
    """The tokens of a file in order, and its imports in any."""
    row = for_path(path)
    assert row is not None, path
    root = load(row).parser().parse(text).root_node
    parts = [(node.type, b" ".join(leaves(node))) for node in root.children]
    imports = sorted(text for kind, text in parts if "import" in kind)
    code = [text for kind, text in parts if "import" not in kind and text]
    return b" ".join(code).split(), imports


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and for_path(str(path)) is not None
    }


def made(rules: str, folder: Path) -> dict[str, bytes]:
    """The files that the rules come to; of one that is deleted nothing."""
    after = files(folder)
    for file in ast_edit(rules=rules, root=folder, no_near=True).files:
        assert file.operation in ("modify", "delete")
        gone = file.operation == "delete"
        after[file.path] = b"" if gone else splice(after[file.path], file.changes)
    return after


def counted(rules: str, folder: Path) -> Counter[str]:
    """How often each rule matches; a triggered one where its cause has reached it."""
    counts = Counter(finding.rule_id for finding in scan(rules=rules, root=folder).findings)
    told = ast_edit(rules=rules, root=folder, no_near=True).hints
    counts.update(line.split()[-1] for line in told if line.startswith("left for you: "))
    return counts


def differences(case: str) -> list[str]:
    """What is not as Piranha expects: nothing where all is equal."""
    rules = (RULES / f"{case}.yml").read_text()
    theirs = Path(THEIRS) / case
    counts = {
        rule.id: int(rule.content["metadata"]["matches"])
        for rule in read_rules(rules.encode(), case)
        if "matches" in rule.content.get("metadata", {})
    }
    if counts:
        found = counted(rules, theirs / "input")
        wrong = {id: found[id] for id, count in counts.items() if found[id] != count}
        return [f"{id}: {found[id]}, not {counts[id]}" for id in wrong]
    after, expected = made(rules, theirs / "input"), files(theirs / "expected")
    return [
        path
        for path in sorted({*after, *expected})
        if tokens(path, after.get(path, b"")) != tokens(path, expected.get(path, b""))
    ]


@pytest.mark.parametrize("case", CASES)
def test_a_case_of_piranha_comes_to_the_same_tokens(case: str) -> None:
    if "refused" in (RULES / f"{case}.yml").read_text().splitlines()[0]:
        with pytest.raises(AstEditError):
            differences(case)
        return
    assert bool(differences(case)) == (case in DIFFERENT)
