"""`resolve apply --only`, `--exclude` and `--refresh`: a part of a plan, or a new look."""

import pytest

from tests.surfaces.project import Outcome, Project

EDIT = ("edit", "-p", "f($A)", "-r", "gg($A)")


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\nf(2)\nx = 3\n", sub__b_py="f(4)\n")
    assert project(*EDIT).code == 0
    return project


def apply(project: Project, *args: str) -> Outcome:
    return project("resolve", "apply", "--reason", "some of it", *args)


def ids(project: Project) -> list[str]:
    plan = project("show", "--format", "plan").json
    return [edit["id"] for file in plan["files"] for edit in file["edits"]]


def test_only_one_edit_lands_and_the_rest_is_listed(staged: Project) -> None:
    first, second, third = ids(staged)
    result = apply(staged, "--only", second, "--json").json
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"
    assert staged.files()["sub/b.py"] == b"f(4)\n"
    assert result["text"].endswith(": 1 replacement in 1 file.\nNot applied: 2 other edits.")
    rest = [{"id": first, "path": "a.py"}, {"id": third, "path": "sub/b.py"}]
    assert result["details"]["sourceResultDetails"]["notApplied"] == rest
    assert staged("pending", "--json").json == []


def test_exclude_takes_globs_and_ids(staged: Project) -> None:
    first, _, _ = ids(staged)
    assert apply(staged, "--exclude", "sub/**", "--exclude", first).code == 0
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"
    assert staged.files()["sub/b.py"] == b"f(4)\n"


def test_only_and_exclude_together(staged: Project) -> None:
    first, _, _ = ids(staged)
    assert apply(staged, "--only", "a.py", "--exclude", first).code == 0
    assert staged.files()["a.py"] == b"f(1)\ngg(2)\nx = 3\n"


def test_the_log_has_the_hash_of_what_was_written(staged: Project) -> None:
    from hashlib import sha256

    apply(staged, "--only", ids(staged)[0])
    (file,) = staged("log", "--json").json[0]["files"]
    assert file["after"] == sha256(staged.files()["a.py"]).hexdigest()


@pytest.mark.parametrize(
    "flags",
    [
        ("--only", "nothing/**"),
        ("--only", "000000000000"),
        ("--exclude", "*"),
        ("--only", "a.py", "--exclude", "a.py"),
        ("--refresh", "--only", "a.py"),
        ("--all", "--only", "a.py"),
    ],
)
def test_a_choice_that_means_nothing_writes_nothing(
    staged: Project, flags: tuple[str, ...]
) -> None:
    before = staged.files()
    assert apply(staged, *flags).code == 2
    assert staged.files() == before
    assert len(staged("pending", "--json").json) == 1


def test_a_stale_plan_is_refused_before_anything_is_chosen(staged: Project) -> None:
    staged.put("sub/b.py", "f(5)\n")
    done = apply(staged, "--only", "a.py", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "stale")


def test_discard_is_never_partial(staged: Project) -> None:
    assert staged("resolve", "discard", "--reason", "x", "--only", "a.py").code == 2


def test_refresh_stages_anew_in_the_same_place_and_writes_nothing(staged: Project) -> None:
    (old,) = staged("pending", "--json").json
    staged("edit", "-p", "x = $V", "-r", "y = $V")
    staged.put("sub/b.py", "f(5)\nf(6)\n")
    before = staged.files()
    done = apply(staged, old["id"], "--refresh", "--json")
    newest, new = staged("pending", "--json").json
    message = f"The plan has changed: staged as {new['id']}. Look at it and resolve again."
    assert (done.code, done.json["error"]["message"]) == (3, message)
    assert staged.files() == before
    assert newest["label"] == "ast_edit: 1 replacement in 1 file"
    assert new["label"] == "ast_edit: 4 replacements in 2 files"
    assert staged("show", old["id"], "--json").json["state"] == "superseded"
    staged("resolve", "discard", "--reason", "x", newest["id"])
    assert apply(staged, new["id"]).code == 0


def test_refresh_of_what_matches_nothing_any_more(staged: Project) -> None:
    staged.write(a_py="", sub__b_py="")
    done = apply(staged, "--refresh", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "nothing_matches")
    assert len(staged("pending", "--json").json) == 1
