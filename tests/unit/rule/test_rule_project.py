"""Projects of rules: what is read, in which order, and what is refused."""

import os
from pathlib import Path

import pytest

from astedit.errors import AstEditError, OutsideRootError, PreconditionError
from astedit.rule.project import Project, load_project
from astedit.workspace.root import Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

RULE = "id: {}\nlanguage: js\nrule: {{pattern: f($A)}}\n"


def write(root: Path, **files: str) -> Path:
    """Files by their names, in which `__` stands for `/` and `_` for `.`."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def load(root: Path, config: str | None = None) -> Project:
    with Workspace(root) as workspace:
        return load_project(workspace, config)


def refused(root: Path) -> AstEditError:
    with pytest.raises(AstEditError) as caught:
        load(root)
    return caught.value


def test_rules_come_in_the_order_of_files_and_documents(tmp_path: Path) -> None:
    write(
        tmp_path,
        sgconfig_yml="ruleDirs: [rules, more]\nutilDirs: [utils]\n",
        rules__b_yml=RULE.format("b1") + "---\n" + RULE.format("b2"),
        rules__a__z_yaml=RULE.format("a"),
        rules___hidden__h_yml="garbage: [",
        rules__readme_txt="garbage: [",
        more__empty_yml="---\n---\n",
        more__m_yml=RULE.format("m"),
        utils__u_yml=RULE.format("u"),
    )
    project = load(tmp_path)
    assert [(rule.id, rule.path) for rule in project.rules] == [
        ("a", "rules/a/z.yaml"),
        ("b1", "rules/b.yml"),
        ("b2", "rules/b.yml"),
        ("m", "more/m.yml"),
    ]
    assert [util.id for util in project.utils] == ["u"]
    assert project.directory == ""


def test_a_directory_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, sgconfig_yml="ruleDirs: [rules, ./rules/a]\n", rules__a__a_yml=RULE.format("a"))
    assert [rule.id for rule in load(tmp_path).rules] == ["a"]


def test_absolute_directories_below_the_root_are_fine(tmp_path: Path) -> None:
    """`ast-grep new project` writes them."""
    write(tmp_path, sgconfig_yml=f"ruleDirs: [{tmp_path}/rules]\n", rules__a_yml=RULE.format("a"))
    assert load(tmp_path).rule_directories == ("rules",)


def test_a_configuration_elsewhere_is_what_its_directories_are_relative_to(tmp_path: Path) -> None:
    write(
        tmp_path,
        sub__my_yml="ruleDirs: [../rules]\n"
        "testConfigs: [{testDir: tests}, {testDir: t, snapshotDir: s}]\n",
        rules__a_yml=RULE.format("a"),
    )
    project = load(tmp_path, "sub/my.yml")
    assert project.directory == "sub/"
    assert project.rule_directories == ("rules",)
    places = [(tests.path, tests.snapshots) for tests in project.tests]
    assert places == [("sub/tests", "sub/tests/__snapshots__"), ("sub/t", "sub/t/s")]


def test_files_get_the_language_of_the_globs_that_name_them(tmp_path: Path) -> None:
    write(tmp_path, sub__my_yml="ruleDirs: []\nlanguageGlobs: {html: ['*.vue'], json: [x.ts]}\n")
    project = load(tmp_path, "sub/my.yml")
    assert [
        row and row.name
        for row in map(project.language, ("sub/a/b.vue", "sub/x.ts", "x.ts", "a.vue"))
    ] == ["html", "json", "typescript", None]


def test_injections_are_read(tmp_path: Path) -> None:
    raw = "{hostLanguage: js, rule: {pattern: css`$CONTENT`}, injected: css}"
    write(tmp_path, sgconfig_yml=f"ruleDirs: []\nlanguageInjections: [{raw}]")
    assert load(tmp_path).warnings == ()
    (injection,) = load(tmp_path).injections
    assert (injection["hostLanguage"], injection["injected"]) == ("js", "css")
    assert injection["rule"] == {"pattern": "css`$CONTENT`"}


def test_custom_languages_are_never_loaded(tmp_path: Path) -> None:
    custom = "customLanguages: {mojo: {libraryPath: evil.so, extensions: [mojo]}}"
    globs = "languageGlobs: {mojo: ['*.x']}"
    write(tmp_path, sgconfig_yml=f"ruleDirs: [rules]\n{custom}\n{globs}\n", rules__a_yml="")
    (warning,) = load(tmp_path).warnings
    assert "mojo" in warning
    assert "not loaded" in warning
    write(tmp_path, rules__a_yml="id: a\nlanguage: mojo\nrule: {kind: x}\n")
    error = refused(tmp_path)
    assert "unknown language 'mojo'" in error.message
    assert error.hint == "The customLanguages of sgconfig.yml are never loaded."


def test_no_project_says_how_to_make_one(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert isinstance(error, PreconditionError)
    assert (error.code, error.exit_code) == ("no_project", 3)
    assert "astedit new project" in str(error.hint)


def test_two_rules_of_one_id_are_an_error_that_names_both_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        sgconfig_yml="ruleDirs: [rules]\n",
        rules__a_yml=RULE.format("same"),
        rules__b_yml=RULE.format("same"),
    )
    error = refused(tmp_path)
    assert (error.path, error.code) == ("rules/b.yml", "bad_rule")
    assert error.message == "Rule 'same', id: the id is given twice"
    assert error.hint == "rules/a.yml has a rule of this id too: rename one."


@pytest.mark.parametrize(("text", "message"), ROWS["what is wrong is named"])
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, sgconfig_yml=text)
    error = refused(tmp_path)
    assert (error.message, error.exit_code, error.path) == (message, 2, "sgconfig.yml")


@pytest.mark.parametrize("key", ["ruleDirs: [{}]", "ruleDirs: []\nutilDirs: [{}]",
                                 "ruleDirs: []\ntestConfigs: [{{testDir: {}}}]",
                                 "ruleDirs: []\n"
                                 "testConfigs: [{{testDir: ., snapshotDir: {}}}]"])  # fmt: skip
@pytest.mark.parametrize("place", ["..", "/etc", "link", "a/../../x"])
def test_no_directory_leads_out_of_the_root(tmp_path: Path, key: str, place: str) -> None:
    root = tmp_path / "root"
    write(root, sgconfig_yml=key.format(place))
    (root / "link").symlink_to(tmp_path)
    assert isinstance(refused(root), OutsideRootError)


def test_links_met_on_the_way_and_pipes_are_not_read(tmp_path: Path) -> None:
    root = write(tmp_path / "root", sgconfig_yml="ruleDirs: [rules]", rules__a_yml=RULE.format("a"))
    write(tmp_path, out__b_yml=RULE.format("b"))
    (root / "rules/dir").symlink_to(tmp_path / "out")
    (root / "rules/b.yml").symlink_to(tmp_path / "out/b.yml")
    assert [rule.id for rule in load(root).rules] == ["a"]
    os.mkfifo(root / "rules/c.yml")
    assert refused(root).message == "rules/c.yml cannot be read: not a regular file."


def test_a_link_that_is_named_is_followed_below_the_root(tmp_path: Path) -> None:
    write(tmp_path, sgconfig_yml="ruleDirs: [link]", rules__a_yml=RULE.format("a"))
    (tmp_path / "link").symlink_to("rules")
    assert [rule.path for rule in load(tmp_path).rules] == ["rules/a.yml"]


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    write(tmp_path, sgconfig_yml="ruleDirs: [rules]", rules__a_yml="#" * (1 << 20) + "##")
    assert refused(tmp_path).message == "rules/a.yml is larger than 1048576 bytes."
