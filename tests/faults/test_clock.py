"""A clock that jumps, days ahead or years back, changes no order and loses nothing."""

import time
from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace

import pytest

from resolve import actions
from tests.support.project import Project

DAY = 86_400
APPLY = ("resolve", "apply", "--reason", "t")
Clock = Callable[[float], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the clock so many seconds from now, as a process that starts then finds it."""
    real, moment = time.time_ns, time.time

    def jump(seconds: float) -> None:
        shifted = SimpleNamespace(now=lambda zone: datetime.fromtimestamp(moment() + seconds, zone))
        monkeypatch.setattr(time, "time_ns", lambda: real() + int(seconds * 1e9))
        monkeypatch.setattr(actions, "datetime", shifted)
        monkeypatch.setattr(actions, "_last_ms", 0)

    return jump


@pytest.fixture
def tree(project: Project) -> Project:
    project.put("a.py", "f(1)\n")
    project.put("b.py", "h(1)\n")
    return project


def stage(project: Project, name: str) -> None:
    assert project("edit", "-p", f"{name}($A)", "-r", f"{name}2($A)", "--quiet").code == 0


@pytest.mark.parametrize("jump", [-20 * 365 * DAY, -DAY, 400 * DAY])
def test_the_newest_action_is_the_one_staged_last(tree: Project, clock: Clock, jump: float) -> None:
    clock(0)
    stage(tree, "f")
    clock(jump)
    stage(tree, "h")
    assert tree(*APPLY).code == 0
    assert (tree.read("a.py"), tree.read("b.py")) == ("f(1)\n", "h2(1)\n")
    clock(0)
    assert tree(*APPLY).code == 0
    assert tree.read("a.py") == "f2(1)\n"


@pytest.mark.parametrize("jump", [-20 * 365 * DAY, -DAY, 10 * DAY])
def test_undo_takes_back_what_was_applied_last(tree: Project, clock: Clock, jump: float) -> None:
    clock(0)
    stage(tree, "f")
    assert tree(*APPLY).code == 0
    clock(jump)
    stage(tree, "h")
    assert tree(*APPLY).code == 0
    assert tree("undo").code == 0
    assert tree(*APPLY).code == 0
    assert (tree.read("a.py"), tree.read("b.py")) == ("f2(1)\n", "h(1)\n")
    clock(2 * jump)
    assert tree("undo").code == 0
    assert tree(*APPLY).code == 0
    assert (tree.read("a.py"), tree.read("b.py")) == ("f(1)\n", "h(1)\n")


def test_a_campaign_goes_by_what_it_staged_last(tree: Project, clock: Clock) -> None:
    text = "repositories: ['.']\nops: [{pat: NAME($A), out: NAME2($A)}]\n"
    tree.put("c.yml", text.replace("NAME", "f"))
    clock(0)
    assert tree("campaign", "c.yml", "--jobs", "1").code == 0
    tree.put("c.yml", text.replace("NAME", "h"))
    clock(-DAY)
    assert tree("campaign", "c.yml", "--jobs", "1").code == 0
    assert tree("campaign", "c.yml", "apply", "--reason", "t").code == 0
    assert (tree.read("a.py"), tree.read("b.py")) == ("f(1)\n", "h2(1)\n")
