"""Renames over the modules of JavaScript and TypeScript; `«old»` marks what must change."""

import re
from pathlib import Path

import pytest

from astedit.errors import AstEditError
from astedit.model.plan import Plan
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import planned, result, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))

_MARKED = re.compile("«([^»]*)»")
FILES = tree("script-rename")


def marked(text: str, *, member: bool, new: str | None) -> str:
    """The text without marks, or with what the marks of one kind become."""
    for sign, pattern in {"«": _MARKED, "[": re.compile(r"\[(size(?:\|[^\]]*)?)\]")}.items():
        is_meant = new is not None and (sign == "«") == member

        def change(match: re.Match[str], is_meant: bool = is_meant) -> str:
            old, _, other = match[1].partition("|")
            return (other or str(new)) if is_meant else old

        text = pattern.sub(change, text)
    return text


def renamed(root: Path, identifier: str, new: str) -> Plan:
    tree_of(root, {path: marked(text, member=False, new=None) for path, text in FILES.items()})
    return planned(root, "rename", identifier, new)


def expected(paths: str, *, member: bool, new: str) -> dict[str, str]:
    return {
        path: marked(text, member=member, new=new if path[4] in paths else None)
        for path, text in FILES.items()
    }


def test_a_name_of_a_module_follows_imports_and_exports(tmp_path: Path) -> None:
    plan = renamed(tmp_path, "src/a.ts::size", "length")
    assert result(tmp_path, plan) == expected("abcdmnsv", member=False, new="length")
    assert plan.hints[1:] == [
        "not changed: src/b.ts:11: size may be this one (a string)",
        "not changed: src/m.ts:3: size may be this one (the code around it cannot be parsed)",
        "not changed: src/n.ts:2: size may be this one (all of its module is passed on)",
    ]


def test_a_name_of_a_common_module_follows(tmp_path: Path) -> None:
    plan = renamed(tmp_path, "src/f.js::size", "$length")
    assert result(tmp_path, plan) == expected("ef", member=False, new="$length")


@pytest.mark.parametrize("owner", ["src/a.ts::Box", "src/a.ts::Shape", "src/b.ts::Big"])
def test_a_member_follows_this_super_new_and_annotations(tmp_path: Path, owner: str) -> None:
    plan = renamed(tmp_path, f"{owner}.area", "surface")
    assert result(tmp_path, plan) == expected("abkopqr", member=True, new="surface")
    assert [hint.split(": ")[1] for hint in plan.hints[1:]] == [
        *["src/a.ts:8", "src/b.ts:8", "src/c.ts:5"],
        *["src/k.ts:8"] * 3,
        "src/o.ts:4",
        *["src/o.ts:5"] * 2,
        *(f"src/q.ts:{line}" for line in (2, 11, 13, 16, 18, 19)),
        *["src/r.ts:3", "src/r.ts:4"],
    ]


@pytest.mark.parametrize(("identifier", "new", "code"), ROWS["a name that is taken is refused"])
def test_a_name_that_is_taken_is_refused(
    tmp_path: Path, identifier: str, new: str, code: str
) -> None:
    more = {"src/i.ts": "import { size } from './a';\nconst s = size;\n"}
    more["src/x.ts"] = "{ export function inner() {}\n inner();\n"
    tree_of(tmp_path, more)
    with pytest.raises(AstEditError) as caught:
        renamed(tmp_path, identifier, new)
    assert caught.value.code == code
