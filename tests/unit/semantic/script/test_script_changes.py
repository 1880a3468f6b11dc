"""Moves, removals and new signatures in scripts: what follows, what is refused."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import planned, result, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))

FILES = tree("script-changes")


def test_a_definition_moves_with_its_imports_and_its_users_follow(tmp_path: Path) -> None:
    made = result(
        tmp_path, planned(tree_of(tmp_path, FILES), "move", ["src/a.ts::add"], "src/math.ts")
    )
    assert {path for path in made if made[path] != FILES.get(path)} == {
        f"src/{name}.ts" for name in ("a", "b", "c", "math")
    }
    assert made["src/math.ts"] == (
        "import { helper } from './h';\n\n/** Adds. */\n"
        "export function add(a: number, b: number): number {\n  return helper(a) + b;\n}\n"
    )
    assert made["src/a.ts"].startswith(
        "// Copyright: us\nimport { other } from './h';\nimport { add } from './math';\n"
    )
    assert "import { unused, Box } from './a';\nimport { add } from './math';\n" in made["src/b.ts"]
    assert "add(1, f()) + add(3, 4)" in made["src/b.ts"]
    assert made["src/c.ts"] == (
        "export * from './a';\nexport { add } from './math';\n"
        "export { add as plus } from './math';\n"
    )


def test_the_new_file_has_it_no_more_by_another_way(tmp_path: Path) -> None:
    plan = planned(tree_of(tmp_path, FILES), "move", ["src/a.ts::add"], "src/g.ts")
    assert result(tmp_path, plan)["src/g.ts"].startswith("import { total } from './c';\n")


def test_what_moved_code_needs_of_a_pattern_is_exported(tmp_path: Path) -> None:
    made = result(
        tmp_path, planned(tree_of(tmp_path, FILES), "move", ["src/a.ts::two"], "src/two.ts")
    )
    assert "\nexport const { one, ...rest } = {" in made["src/a.ts"]
    assert made["src/two.ts"].startswith("import { one, rest } from './a';\n")


def test_a_file_moves_and_relative_imports_mean_what_they_meant(tmp_path: Path) -> None:
    made = result(
        tmp_path, planned(tree_of(tmp_path, FILES), "move", ["src/a.ts"], "lib/core/a2.ts")
    )
    assert "from '../../src/h';\nimport type { T } from '../../src/t';" in made["lib/core/a2.ts"]
    assert made["src/c.ts"].count("from '../lib/core/a2';") == 2


def test_what_nothing_uses_goes_with_its_imports(tmp_path: Path) -> None:
    made = result(tmp_path, planned(tree_of(tmp_path, FILES), "remove", "src/a.ts::unused"))
    assert made["src/a.ts"].startswith(
        "// Copyright: us\nimport { helper } from './h';\n\n/** Adds"
    )
    assert "nobody calls it" not in made["src/a.ts"]
    assert made["src/b.ts"].startswith("import { add, Box } from './a';\n")
    made = result(tmp_path, planned(tree_of(tmp_path, FILES), "remove", "src/a.ts::Box.dead"))
    assert "number) {}\n\n  area(" in made["src/a.ts"]


def test_calls_follow_a_new_signature_under_every_name(tmp_path: Path) -> None:
    new = {"add": ["c: number"], "default_for_callers": "0"}
    plan = planned(tree_of(tmp_path, FILES), "signature", "src/a.ts::add", **new)
    made = result(tmp_path, plan)
    assert "add(a: number, b: number, c: number)" in made["src/a.ts"]
    assert "add(x, y, 0)" in made["src/a.ts"]
    assert "add(1, f(), 0) + all.add(3, 4, 0)" in made["src/b.ts"]
    assert made["src/d.ts"] == "import { plus } from './c';\nplus(2, 3, 0);\n[1].map(plus);\n"
    assert "src/d.ts:3" in plan.hints[1]  # it is no call
    more = {"rename": ["scale=by"], "reorder": "unit,by"}
    made = result(
        tmp_path, planned(tree_of(tmp_path, FILES), "signature", "src/a.ts::Box.area", **more)
    )
    assert "area(unit = 'm', by: number) {\n    return this.width * by;" in made["src/a.ts"]
    assert "box.area(undefined, 2);" in made["src/b.ts"]


@pytest.mark.parametrize(("kind", "args", "options", "code"), ROWS["what cannot follow is refused"])
def test_what_cannot_follow_is_refused(
    tmp_path: Path, kind: str, args: list[object], options: dict[str, object], code: str
) -> None:
    with pytest.raises(AstEditError) as caught:
        planned(tree_of(tmp_path, FILES), kind, *args, **options)
    assert caught.value.code == code
