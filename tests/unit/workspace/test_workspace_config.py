"""What may be set where, and what a hostile repository cannot do."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import RequestError
from astedit.workspace.config import KEYS, Config, load
from astedit.workspace.root import Workspace
from tests.support.lists import rows
from tests.support.patience import ends

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "root"
    directory.mkdir()
    return directory


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(root) as opened:
        yield opened


class World:
    """A repository's files, the user's file and the environment, read together."""

    def __init__(self, workspace: Workspace, home: Path) -> None:
        self._workspace = workspace
        self._home = home

    def read(
        self,
        user: str | None = None,
        files: dict[str, str] | None = None,
        env: dict[str, str] | None = None,
    ) -> Config:
        if user is not None:
            place = self._home / "astedit/config.toml"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(user)
        for name, text in (files or {}).items():
            Path(self._workspace.root, name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"XDG_CONFIG_HOME": str(self._home), **(env or {})}.items():
                patch.setenv(name, value)
            return load(self._workspace)


@pytest.fixture
def world(workspace: Workspace, tmp_path: Path) -> World:
    return World(workspace, tmp_path / "config")


def test_nothing_anywhere_gives_the_defaults(world: World) -> None:
    assert world.read() == Config()


def test_each_value_says_where_it_came_from(world: World, tmp_path: Path) -> None:
    config = world.read(
        user=f"jobs = 3\nactor = 'ann'\nstate_dir = '{tmp_path}/s'\nignore = ['*.min.js']",
        files={"astedit.toml": "policy = 'human'\nhuman_paths = ['infra/']\nignore = ['gen/']"},
        env={"ASTEDIT_JOBS": "5", "ASTEDIT_ACTOR": "bot"},
    )
    user = f"{tmp_path}/config/astedit/config.toml"
    assert config == Config(
        policy="human",
        human_paths=("infra/",),
        ignore=("gen/", "*.min.js"),
        state_dir=f"{tmp_path}/s",
        actor="bot",
        jobs=5,
        origins={
            "policy": "astedit.toml", "human_paths": "astedit.toml", "ignore": user,
            "state_dir": user, "actor": "ASTEDIT_ACTOR", "jobs": "ASTEDIT_JOBS",
        },
    )  # fmt: skip


def test_pyproject_and_astedit_toml_add_up(world: World) -> None:
    config = world.read(
        files={
            "pyproject.toml": "[tool.astedit]\npolicy = 'human'\nroots = ['src', './lib']\n"
            "ignore = ['a']",
            "astedit.toml": "policy = 'agent'\nignore = ['b']",
        }
    )
    assert (config.policy, config.roots, config.ignore) == ("human", ("src", "lib"), ("a", "b"))


@pytest.mark.parametrize(("repository", "user", "variable", "policy"), ROWS["only the user"])
def test_only_the_user_may_relax_the_policy(
    world: World, repository: str | None, user: str | None, variable: str | None, policy: str
) -> None:
    config = world.read(
        user=f"policy = '{user}'" if user else "",
        files={"astedit.toml": f"policy = '{repository}'"} if repository else {},
        env={"ASTEDIT_POLICY": variable} if variable else {},
    )
    assert config.policy == policy


@pytest.mark.parametrize(("key",), ROWS["what a repository may not set is ignored and said"])
def test_what_a_repository_may_not_set_is_ignored_and_said(world: World, key: str) -> None:
    config = world.read(files={"astedit.toml": key})
    [warning] = config.warnings
    assert warning.startswith(f"astedit.toml: {key.split()[0]} ")
    config.warnings.clear()
    assert config == Config()


@pytest.mark.parametrize(("text", "key"), ROWS["a bad value is named with its place"])
@pytest.mark.parametrize("where", ["astedit.toml", "pyproject.toml", "user"])
def test_a_bad_value_is_named_with_its_place(
    world: World, text: str, key: str, where: str, tmp_path: Path
) -> None:
    head = "[tool.astedit]\n" if where == "pyproject.toml" else ""
    given: dict[str, Any] = {"user": text} if where == "user" else {"files": {where: head + text}}
    place = f"{tmp_path}/config/astedit/config.toml" if where == "user" else where
    with pytest.raises(RequestError) as raised:
        world.read(**given)
    assert (raised.value.path, raised.value.code) == (place, "bad_config")
    assert f"{place}: {key} must be" in raised.value.message


@pytest.mark.parametrize(("text",), ROWS["the user's mistakes"])
def test_the_user_s_mistakes_are_errors(world: World, text: str) -> None:
    with pytest.raises(RequestError, match=text.split()[0]):
        world.read(user=text)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASTEDIT_JOBS", "0"), ("ASTEDIT_JOBS", "-1"), ("ASTEDIT_JOBS", "many"),
        ("ASTEDIT_JOBS", "²"),
        ("ASTEDIT_JOBS", "9" * 5_000), ("ASTEDIT_POLICY", "none"), ("ASTEDIT_ACTOR", "a\nb"),
    ],
)  # fmt: skip
def test_a_bad_variable_is_an_error(world: World, variable: str, value: str) -> None:
    with pytest.raises(RequestError, match=variable):
        world.read(env={variable: value})


def test_an_empty_variable_is_not_set(world: World) -> None:
    empty = dict.fromkeys(
        ["ASTEDIT_JOBS", "ASTEDIT_POLICY", "ASTEDIT_ACTOR", "ASTEDIT_STATE_DIR"], ""
    )
    assert world.read(env=empty) == Config()


BOMBS = {
    "too large": b"a = '" + b"x" * 1_100_000 + b"'",
    "not TOML": b"a = ",
    "not UTF-8": b"a = '\xff'",
    "arrays": b"a = " + b"[" * 100_000,
    "tables": b"a = " + b"{a=" * 100_000,
    "dotted key": b"a." * 200_000 + b"a = 1",
    "dotted header": b"[" + b"a." * 200_000 + b"a]",
    "headers": b"".join(b"[%s.x%d]\n" % (b".".join([b"a"] * 190), i) for i in range(2_500)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(world: World, root: Path, name: str) -> None:
    (root / "astedit.toml").write_bytes(BOMBS[name])
    if name == "headers":
        with ends():
            assert world.read().warnings
    else:
        with ends(), pytest.raises(RequestError, match=r"astedit\.toml"):
            world.read()


def test_a_pyproject_of_others_is_none_of_our_business(world: World, root: Path) -> None:
    for content in (b"not toml [", b"x" * 2_000_000, b"[tool.other]\nx = 1"):
        (root / "pyproject.toml").write_bytes(content)
        assert world.read() == Config()


@pytest.mark.parametrize("text", ["[tool]\nastedit = 3", "tool = 'astedit'", "[tool.astedit"])
def test_a_pyproject_that_means_us_is_read_with_care(world: World, text: str) -> None:
    if text.startswith("tool"):
        assert world.read(files={"pyproject.toml": text}) == Config()
    else:
        with pytest.raises(RequestError, match=r"pyproject\.toml"):
            world.read(files={"pyproject.toml": text})


def test_links_and_fifos(world: World, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text("policy = 'human'")
    (root / "astedit.toml").symlink_to("../outside.toml")
    with pytest.raises(RequestError, match="outside the root"):
        world.read()
    (root / "astedit.toml").unlink()
    (root / "inside.toml").write_text("policy = 'human'")
    (root / "astedit.toml").symlink_to("inside.toml")
    assert world.read().policy == "human"
    (root / "astedit.toml").unlink()
    os.mkfifo(root / "astedit.toml")
    with pytest.raises(RequestError, match="not a regular file"):
        world.read()


def test_every_key_is_a_field(world: World) -> None:
    assert set(KEYS) <= set(Config.__dataclass_fields__)
