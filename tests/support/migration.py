"""A migration of a published package: its files as a repository, and the commands run there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.packages import Package, Unavailable, unpacked
from tests.support.differential.corpora import CACHE

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
_LINES = re.MULTILINE | re.DOTALL
_SETTINGS = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


class Migration:
    """A repository with the files of a package below `folder`, all of them committed."""

    def __init__(self, package: Package, folder: str, place: Path) -> None:
        try:
            tree = unpacked(package, CACHE)
        except Unavailable as error:
            pytest.skip(str(error))
        self.root = place / "repository"
        self._state = place / "state"
        shutil.copytree(tree / folder, self.root, symlinks=True)
        self.git("init", "-q")
        self.commit()

    def commit(self) -> None:
        """Everything as it is becomes what later patches are about."""
        self.git("add", "-Af")
        self.git("commit", "-qm", "base")

    def git(self, *words: str, input: bytes | None = None) -> bytes:
        """Runs git in the repository."""
        return self.run("git", *words, input=input)

    def run(self, *words: str, input: bytes | None = None, **settings: str) -> bytes:
        """Runs a command in the repository, which must succeed; returns its output."""
        done = subprocess.run(
            words,
            cwd=self.root,
            input=input,
            env={**os.environ, **_SETTINGS, **settings},
            capture_output=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, (done.stdout[-4000:] + done.stderr[-4000:]).decode()
        return done.stdout

    def edit(self, *words: str) -> "Result":
        """Plans with one command as a person types it, and applies what it staged.

        The patch that it would have printed must give the same files.
        """
        command = (sys.executable, "-m", "astedit", *words, "--state-dir", str(self._state))
        plan = json.loads(self.run(*command, "--json"))
        before = {file["path"]: self.read(file["path"]) for file in plan["files"]}
        show = (sys.executable, "-m", "astedit", "show", "--format", "patch")
        patch = self.run(*show, "--state-dir", str(self._state))
        resolve = (sys.executable, "-m", "astedit", "resolve", "apply", "--reason", "migration")
        self.run(*resolve, "--state-dir", str(self._state))
        after = {path: self.read(path) for path in before}
        self.git("stash", "-q")
        self.git("apply", input=patch)
        assert after == {path: self.read(path) for path in before}
        return Result(plan, before, after)

    def follow(self, heading: str) -> "Result":
        """Does what the page says under a heading, with the rules that stand there."""
        section = PAGE.read_text().partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
        for name, text in re.findall(r"^`(\S+)`:\n\n```yaml\n(.*?)^```$", section, _LINES):
            (self.root / name).write_text(text)
        (command,) = re.findall(r"^```sh\n(.*?)^```$", section, _LINES)
        program, *words = shlex.split(command.replace("\\\n", " "))
        assert program == "astedit"
        return self.edit(*words)

    def read(self, path: str) -> bytes:
        """The content of one file."""
        return (self.root / path).read_bytes()


class Result:
    """What one command did: its plan, and the files that it changed, before and after."""

    def __init__(self, plan: Any, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        self.plan = plan
        self.before = before
        self.after = after

    @property
    def replacements(self) -> int:
        """How many matches were made."""
        return int(self.plan["totalReplacements"])

    @property
    def blocked(self) -> Counter[str]:
        """How many matches were not made, by the reason."""
        counts = Counter[str]()
        for item in self.plan["blocked"]:
            counts[item["reason"]] += item["matches"]
        return counts
