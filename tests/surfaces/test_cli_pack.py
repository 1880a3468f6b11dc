"""Packs from git, directories, wheels and npm: pinned, verified, and hostile ones."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.project import Project

RULE = (
    "id: no-print\nlanguage: python\nseverity: error\n"
    "rule: {pattern: print($$$A)}\nfix: log($$$A)\n"
)
ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def served(project: Project) -> Project:
    """A repository with the pack that `pack new` makes, beside the project."""
    other = Project(project.root.parent / "served", project._capture)
    other.root.mkdir()
    root = str(other.root)
    assert project("pack", "new", f"{root}/house", "--root", root).code == 0
    other.put("house/rules/no-print.yml", RULE)
    other.git("init", "-q", "-b", "main")
    commit(other)
    project.put("a.py", "print(1)\n")
    return other


def commit(repository: Project) -> None:
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "pack")


def source(served: Project) -> str:
    return f"git+file://{served.root}#house"


def ids(project: Project) -> list[str]:
    return [one["ruleId"] for one in project("scan", "--json").json]


def test_a_pack_is_made_used_through_git_updated_and_verified(
    project: Project, served: Project, cache: Path
) -> None:
    done = project("pack", "add", source(served))
    assert done.code == 0, done.err
    assert ids(project) == ["house/no-print"]
    assert project("pack", "verify").code == 0
    (row,) = project("pack", "list", "--json").json["packs"]
    assert (row["name"], row["version"], row["rules"]) == ("house", "0.1.0", 1)
    served.put("house/rules/no-print.yml", RULE.replace("error", "warning"))
    commit(served)
    assert project("scan").code == 1  # nothing changes until somebody updates
    done = project("pack", "update")
    assert "-severity: error\n+severity: warning" in done.text
    assert (done.code, project("scan").code) == (0, 0)
    served.put("house/rules/no-print.yml", RULE.replace("print($$$A)}", "nothing}"))
    commit(served)
    lock = project.read("astedit.lock")
    done = project("pack", "update", "house")
    assert (done.code, "FAIL no-print" in done.text) == (1, True)
    assert project.read("astedit.lock") == lock
    assert all(path.write_bytes(b"") == 0 for path in cache.rglob("*") if path.is_file())
    missing = project("scan")
    assert (missing.code, "astedit pack fetch" in missing.err) == (2, True)
    assert project("pack", "fetch").code == 0  # what is damaged, too
    shutil.rmtree(served.root)
    assert ids(project) == ["house/no-print"]  # offline
    for _ in range(2):
        assert project("pack", "remove", "house").code == 0
        assert json.loads(project.read("astedit.lock"))["packs"] == []
        project.put(
            "astedit.lock", lock
        )  # as a kill leaves it that comes before the lock is written


def test_an_update_moves_a_pin_to_another_revision(project: Project, served: Project) -> None:
    served.git("tag", "v1")
    served.put("house/rules/no-print.yml", RULE.replace("error", "warning"))
    commit(served)
    served.git("tag", "v2")
    pinned = source(served).replace("#", "@v1#")
    assert project("pack", "add", pinned).code == 0
    project.put("sgconfig.yml", project.read("sgconfig.yml").replace("@v1", "@v2"))
    served.git("tag", "-d", "v1")  # what nothing names is not asked for
    assert project("pack", "update").code == 0
    (locked,) = json.loads(project.read("astedit.lock"))["packs"]
    assert locked["source"] == pinned.replace("@v1", "@v2")
    assert project("scan", "--json").json[0]["severity"] == "warning"


def test_a_pack_brings_the_packs_that_it_names(
    project: Project, served: Project, cache: Path
) -> None:
    project.put("outer/astedit-pack.yml", f"name: outer\npacks: ['{source(served)}']\n")
    done = project("pack", "add", "./outer")
    assert done.code == 0, done.err
    assert ids(project) == ["house/no-print"]
    served.put("house/rules/no-print.yml", RULE.replace("error", "warning"))
    commit(served)
    done = project("pack", "update", "outer")
    assert (done.code, "-severity: error\n+severity: warning" in done.text) == (0, True)
    shutil.rmtree(cache)
    assert project("scan").code == 2
    assert project("pack", "fetch").code == 0
    rows = project("pack", "list", "--json").json["packs"]
    assert [row["name"] for row in rows] == ["outer", "house"]
    assert project("pack", "remove", "outer").code == 0
    assert json.loads(project.read("astedit.lock"))["packs"] == []


def test_a_fetch_brings_what_the_lock_says_or_nothing(
    project: Project, served: Project, cache: Path
) -> None:
    project("pack", "add", source(served))
    lock = json.loads(project.read("astedit.lock"))
    lock["packs"][0]["files"]["rules/no-print.yml"] = "0" * 64
    project.put("astedit.lock", json.dumps(lock).replace("\n", "\r\n"))
    done = project("pack", "fetch")
    assert (done.code, "is not what astedit.lock says" in done.err) == (2, True)
    assert project("scan").code == 2


def test_a_plan_names_its_packs(project: Project, served: Project) -> None:
    project("pack", "add", source(served))
    assert project("scan", "--fix").code == 0
    assert "packs: house" in project("pending").text
    assert project("resolve", "apply", "--reason", "r").code == 0
    assert project.read("a.py") == "log(1)\n"


def test_tests_of_a_pack_may_be_files(project: Project) -> None:
    project.put("p/astedit-pack.yml", "name: p\nrules: [a.yml]\ntests: [t.yml, gone]\n")
    project.put("p/a.yml", RULE)
    project.put("p/t.yml", "id: no-print\nvalid: [log(1)]\ninvalid: [print(1)]\n")
    done = project("pack", "test", "p")
    assert (done.code, "PASS no-print" in done.text) == (0, True)
    assert "there is no directory or file gone" in done.err


def test_directories_and_settings_of_a_pack(project: Project) -> None:
    project.put("a.py", "print(eval(1))\n")
    project.put("p/rules/a.yml", RULE + "---\n" + RULE.replace("print", "eval"))
    project.put("p/utils/u.yml", "id: u\nlanguage: python\nrule: {kind: call}\n")
    project.put("p/rules/u.yml", "id: with-u\nlanguage: python\nrule: {matches: u}\n")
    project.put("p/sgconfig.yml", "ruleDirs: [rules]\nutilDirs: [utils]\n")
    entry = "{use: ./p, severity: {no-print: off, with-u: warning}}"
    project.put("sgconfig.yml", f"packs: [{entry}]\n")
    found = project("scan", "--json").json
    assert [(one["ruleId"], one["severity"]) for one in found] == [
        ("p/with-u", "warning"),
        ("p/no-eval", "error"),
        ("p/with-u", "warning"),
    ]
    project.put("sgconfig.yml", "packs: [{use: ./p, severity: {no-prin: off}}]\n")
    done = project("scan")
    assert (done.code, "Did you mean 'no-print'" in done.err) == (2, True)
    (project.root / "sgconfig.yml").unlink()
    project.put("astedit.toml", 'packs = ["./p"]\n')
    assert "p/no-print" in ids(project)
    assert "astedit.toml cannot be" in project("pack", "remove", "p").err


def test_parameters_of_a_pack_and_rules_that_call_each_other(project: Project) -> None:
    project.put("a.py", "old(1)\nprint(not True)\n")
    project.put("p/astedit-pack.yml", "name: p\nrules: [r.yml]\nparams: {OLD: {}}\n")
    first = "id: a\nlanguage: python\nrule: {pattern: '${OLD}($A)'}\nfix: new($A)\n"
    project.put("p/r.yml", first + "then: [{use: b, in: file}]\n---\n" + RULE)
    project.put("p/r.yml", project.read("p/r.yml").replace("id: no-print", "id: b"))
    project.put("sgconfig.yml", "packs: [{use: ./p, params: {OLD: old}}]\n")
    assert ids(project) == ["p/a", "p/b"]
    assert project("scan", "--fix", "--apply", "--reason", "r").code == 0
    assert project.read("a.py") == "new(1)\nlog(not True)\n"
    project.put("sgconfig.yml", "packs: [{use: ./p, params: {OLDER: old}}]\n")
    done = project("scan")
    assert (done.code, "no parameter 'OLDER'" in done.err) == (2, True)


def test_preconditions_of_a_pack_hold_for_findings_and_fixes(project: Project) -> None:
    project.put("a.py", "import django\nprint(1)\n")
    project.put("b.py", "print(2)\n")
    conditions = "preconditions: [{kind: import_statement, regex: django}]"
    project.put("p/astedit-pack.yml", f"name: p\nrules: [r.yml]\n{conditions}\n")
    project.put("p/r.yml", RULE)
    project.put("sgconfig.yml", "packs: [./p]\n")
    assert [one["file"] for one in project("scan", "--json").json] == ["a.py"]
    assert project("scan", "--fix", "--apply", "--reason", "r").code == 0
    assert (project.read("a.py"), project.read("b.py")) == ("import django\nlog(1)\n", "print(2)\n")
    project.put("p/astedit-pack.yml", "name: p\nrules: [r.yml]\npreconditions: django\n")
    done = project("scan")
    assert (done.code, "`preconditions` is not a list" in done.err) == (2, True)


def test_a_pinned_directory_may_not_change_unseen(project: Project) -> None:
    project.put("a.py", "print(1)\n")
    project.put("p/a.yml", RULE)
    assert project("pack", "update").code == 0 and "astedit.lock" not in project.files()
    assert project("pack", "add", "./p").code == 0
    (project.root / "astedit.lock").unlink()  # as a kill leaves it
    assert project("pack", "add", "./p").code == 0 and "astedit.lock" in project.files()
    assert project("pack", "add", "./p").code == 2
    assert ids(project) == ["p/no-print"]
    project.put("p/b.yml", RULE.replace("no-print", "other"))
    done = project("scan")
    assert (done.code, "astedit pack verify" in done.err) == (2, True)
    done = project("pack", "verify")
    assert (done.code, "b.yml: new" in done.text) == (1, True)
    assert project("pack", "update").code == 0
    assert ids(project) == ["p/no-print", "p/other"]


def test_npm_and_wheels_are_read_where_they_are_installed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.put("a.py", "print(1)\n")
    project.put("node_modules/@house/rules/r.yml", RULE)
    site = tmp_path / "site"
    (site / "their_rules/data").mkdir(parents=True)
    (site / "their_rules/__init__.py").write_text("raise SystemExit('imported')\n")
    (site / "their_rules/data/r.yml").write_text(RULE)
    info = site / "their_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[astedit.rules]\nrules = their_rules/data\n")
    (info / "RECORD").write_text("their_rules/__init__.py,,\ntheir_rules/data/r.yml,,\n")
    monkeypatch.syspath_prepend(str(site))
    for name in ("npm:@house/rules", "python:their-rules"):
        done = project("pack", "add", name)
        assert done.code == 0, done.err
    assert ids(project) == ["rules/no-print", "their-rules/no-print"]
    assert project("pack", "add", "npm:absent").code == 2
    project.put("node_modules/sly/astedit-pack.yml", "packs: ['git+file:///opt/own']\n")
    done = project("pack", "add", "npm:sly")
    assert (done.code, "which is on this machine" in done.err) == (2, True)
    assert project("pack", "add", "python:absent").code == 2


def test_what_is_wrong_in_a_pack_is_left_out_and_named(project: Project) -> None:
    project.put("a.py", "print(1)\n")
    project.put("p/a.yml", RULE + "ruleOfTheirs: 1\n")
    project.put("p/b.yml", "id: bad\nlanguage: python\nrule: {kind: no_such_kind}\n")
    project.put("p/c.yml", "id: odd\nlanguage: klingon\nrule: {kind: call}\n")
    project.put("p/d.yml", "rule: [\n")
    project.put("sgconfig.yml", "packs: [./p]\n")
    done = project("scan")
    assert (done.code, "error[p/no-print]" in done.text) == (1, True)
    for name in ("ruleOfTheirs", "p/bad", "klingon", "d.yml"):
        assert name in done.err
    done = project("pack", "verify", "--json")
    assert (done.code, len(done.json["packs"][0]["problems"])) == (1, 4)


@pytest.mark.parametrize(("path", "content", "message"), ROWS["hostile packs"])
def test_hostile_packs_are_refused(project: Project, path: str, content: str, message: str) -> None:
    project.put("a.py", "print(1)\n")
    project.put("p/a.yml", RULE)
    project.put("sgconfig.yml", "packs: [./p]\n")
    project.put(path, content)
    before = project.files()
    done = project("scan")
    assert (done.code, message in done.err) in ((2, True), (3, True)), done.err
    assert project.files() == before


def test_a_name_with_a_newline_is_told_on_one_line(project: Project) -> None:
    done = project("pack", "add", "git+/gone/a\nhint: b")
    assert done.code == 2 and "\nhint: b" not in done.err


def test_links_many_rules_and_two_of_one_name(project: Project, served: Project) -> None:
    project.put("p/a.yml", RULE)
    project.put("sgconfig.yml", "packs: [./p]\n")
    os.symlink("/etc", project.root / "p/etc")
    done = project("scan")
    assert (done.code, "leads out of the pack" in done.err) == (2, True)
    (project.root / "p/etc").unlink()
    os.symlink("../../..", served.root / "house/rules/up")
    commit(served)
    assert "leads out of the pack" in project("pack", "add", source(served)).err
    os.symlink("house", served.root / "alias")
    commit(served)
    assert "alias is no directory" in project("pack", "add", f"{source(served)[:-5]}alias").err
    many = "---\n".join(RULE.replace("no-print", f"r{number}") for number in range(1000))
    for number in range(10):
        project.put(f"p/many{number}.yml", many.replace("id: r", f"id: n{number}-"))
    done = project("scan")
    assert (done.code, "more than 5,000 rules" in done.err) == (4, True)
    shutil.rmtree(project.root / "p")
    project.put("p/a.yml", RULE)
    project.put("q/astedit-pack.yml", "name: p\nrules: [a.yml]\n")
    project.put("q/a.yml", RULE)
    project.put("sgconfig.yml", "packs: [./p, ./q]\n")
    done = project("scan")
    assert (done.code, "./p and ./q are both called p" in done.err) == (2, True)
    project.put("sgconfig.yml", "packs: [./p, {use: ./q, name: other}]\n")
    assert "error[other/no-print]" in project("scan").text
    own, config = b"ruleDirs:\r\n- ./w\r\npacks:\r\n- ./p\r\n", project.root / "sgconfig.yml"
    project.put("w/a.yml", RULE)
    config.write_bytes(own)
    assert project("pack", "add", "./w", "--name", "1").code == 0
    assert config.read_bytes().count(b"\r\n") == own.count(b"\n") + 1  # in its own line ends
    assert sorted(ids(project)) == ["1/no-print", "no-print", "p/no-print"]
    assert project("pack", "remove", "1").code == 0
    assert config.read_bytes() == own
    for place in ("p/a/in", "p/b/in"):
        project.put(f"{place}/r.yml", RULE)
    project.put("p/astedit-pack.yml", "rules: [a.yml]\npacks: [./a/in, ./b/in]\n")
    assert "./p/a/in/ and ./p/b/in/ are both called in" in project("scan").err
    renamed = "{use: ./b/in, name: other, severity: info}"
    project.put("p/astedit-pack.yml", f"rules: [a.yml]\npacks: [./a/in, {renamed}]\n")
    done = project("scan")
    assert ("error[p/in/no-print]" in done.text, "info[p/other/no-print]" in done.text) == (1, 1)
    project.put("rules/own.yml", RULE.replace("no-print", "p/no-print"))
    project.put("sgconfig.yml", "ruleDirs: [rules]\npacks: [./p]\n")
    done = project("scan")
    assert (done.code, done.text) == (2, "")
    assert "rules/own.yml: Rule 'p/no-print', id: the id is given twice (line 1)" in done.err
    assert "hint: p: a.yml has a rule of this id too: rename one." in done.err
    assert project("scan", "--off=p/no-print").code == 1  # what is off may be there twice
