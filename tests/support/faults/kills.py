"""A process that strace kills at a chosen call, and the actions that it leaves behind."""

import json

from tests.support.faults.cli import APPLY, Tree


def rows(tree: Tree) -> list[dict[str, str]]:
    return [json.loads(tree.run("show", last(tree), "--json").stdout)]


def last(tree: Tree) -> str:
    """The id of the one action."""
    if listed := json.loads(tree.run("pending", "--json").stdout):
        return str(listed[0]["id"])
    return str(json.loads(tree.run("log", "--json").stdout)[0]["actionId"])


def killed(tree: Tree, call: str, at: int) -> None:
    done = tree.run(*APPLY, trace=("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}"))
    assert done.returncode != 0
