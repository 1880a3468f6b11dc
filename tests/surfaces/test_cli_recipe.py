"""Recipes of packs: one plan, plans on plans, commits a step, and what they refuse."""

from pathlib import Path

import pytest

from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

MANIFEST = tree("cli-recipe")["recipe.yml"]
RULE = "id: no-print\nlanguage: python\nrule: {pattern: print($A)}\nfix: LOG($A, total)\n"
APP = "import legacy\n\n\ndef total(x):\n    return x\n\n\nprint(total(1))\n"
DONE = "import legacy\n\n\ndef sum_of(x):\n    return x\n\n\nlog(sum_of(1), sum_of)\n"


@pytest.fixture
def recipe(project: Project) -> Project:
    project.put("packs/house/astedit-pack.yml", MANIFEST)
    project.put("packs/house/rules/no-print.yml", RULE)
    project.put("sgconfig.yml", "ruleDirs: []\npacks: [./packs/house]\n")
    project.put("app.py", APP)
    project.put("note.txt", "LOG\n")
    return project


def run(project: Project, *flags: str) -> Outcome:
    return project("pack", "run", "modern", *flags)


def test_the_steps_are_one_plan_and_each_sees_what_the_others_made(recipe: Project) -> None:
    refused = run(recipe)
    assert (refused.code, "--commands allows it" in refused.err) == (3, True)
    done = run(recipe, "--commands", "--json")
    assert done.code == 0, done.err
    assert recipe.read("app.py") == APP
    shown = recipe("pending").text
    assert "recipe" in shown and "house/modern" in shown
    assert recipe("resolve", "apply", "--reason", "ready").code == 0
    assert (recipe.read("app.py"), recipe.read("note.txt")) == (DONE, "log\n")
    recipe.put("app.py", DONE.replace("import legacy", ""))
    nothing = run(recipe, "--commands")
    assert (nothing.code, "no file meets its preconditions" in nothing.err) == (0, True)


def test_each_step_is_a_plan_on_top_of_the_one_before(recipe: Project) -> None:
    done = run(recipe, "--commands", "--each", "--stage")
    assert done.code == 0, done.err
    pending = recipe("pending", "--json").json
    assert [row["title"].partition(":")[0] for row in pending[::-1]] == [
        f"house/modern {step}" for step in (1, 2, 3)
    ]
    for row in pending[::-1]:
        applied = recipe("resolve", "apply", row["id"], "--reason", "ready")
        assert applied.code == 0, applied.err
    assert (recipe.read("app.py"), recipe.read("note.txt")) == (DONE, "log\n")


def test_each_step_is_landed_as_a_commit(recipe: Project) -> None:
    recipe.git("init", "-q", "-b", "main")
    recipe.git("add", "-A")
    recipe.git("commit", "-q", "-m", "before")
    assert run(recipe, "--commands", "--stage").code == 0
    landed = recipe("land", "--by", "rule", "--branch", "modern", "--reason", "ready")
    assert landed.code == 0, landed.err
    assert "2 rename sym:app.py::total sum_of" in landed.text
    assert "3 capture -- sed -i s/LOG/log/ note.txt app.py" in landed.text


def test_a_recipe_of_an_inner_pack_runs_its_rules_and_has_a_title_of_its_own(
    recipe: Project,
) -> None:
    recipe.put("packs/house/astedit-pack.yml", "name: house\nrules: []\npacks: [./a, ./b]\n")
    for place in "ab":
        recipe.put(f"packs/house/{place}/r.yml", RULE)
        recipe.put(f"packs/house/{place}/astedit-pack.yml", "recipes: {modern: [{rule: no-print}]}")
    done = run(recipe)
    assert (done.code, "house/a/: astedit-pack.yml, recipes.modern and" in done.err) == (2, True)
    assert "house/b/: astedit-pack.yml, recipes.modern are two recipes of one title" in done.err
    recipe.put("packs/house/b/astedit-pack.yml", "name: b\n")
    assert "+LOG(total(1), total)" in run(recipe, "--no-stage").text


@pytest.mark.parametrize(("steps", "message"), ROWS["a wrong recipe is refused and nothing staged"])
def test_a_wrong_recipe_is_refused_and_nothing_staged(
    recipe: Project, steps: str, message: str
) -> None:
    text = f"name: house\nrules: [rules]\nrecipes:\n  modern: {steps}\n"
    recipe.put("packs/house/astedit-pack.yml", text)
    done = run(recipe)
    assert (done.code, message in done.err) == (3 if "gone" in steps else 2, True), done.err
    assert recipe("pending", "--json").json == []
