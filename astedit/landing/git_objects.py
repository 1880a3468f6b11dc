"""Makes blobs, trees, commits and branches with git's plumbing, and touches nothing else.

Hooks and filters do not run. Who is author and committer is asked of git: its environment,
then its configuration.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from astedit import git
from astedit.errors import PreconditionError
from astedit.landing.commit_steps import BUNDLE, RESULT, TASK
from astedit.sandbox.sandbox import FileState, Sandbox
from astedit.text import first_names

_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
GONE = "0"  # the mode of an entry that is taken out
_WHO = tuple(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER")
             for what in ("NAME", "EMAIL", "DATE"))  # fmt: skip
_ANOTHER = "Name another branch: --branch NAME."
_HINTS = {  # what to do about what git says
    b"identity unknown": "Tell git who you are: git config user.name NAME, and user.email ADDRESS.",
    b"reference already exists": _ANOTHER,
    b"exists; cannot create": _ANOTHER,
}


class GitFailure(PreconditionError):
    """git said no; the message is its own."""

    code = "git"


class GitObjects:
    """One repository, and a temporary index in `directory` in which trees are put together."""

    def __init__(self, root: str, directory: str) -> None:
        if (program := git.program(root)) is None:
            raise git.no_git("Landing")
        self.program = program
        self._root, self._directory = root, directory
        self._known = {key: os.environ[key] for key in _WHO if key in os.environ}
        self._known["GIT_INDEX_FILE"] = os.path.join(directory, "index")

    def run(self, *arguments: str, sent: bytes = b"") -> str:
        """What git prints; raises `GitFailure` with the first line it complains in."""
        words = ["--literal-pathspecs", *arguments]
        done = git.run(self._root, words, sent=sent, variables=self._known)
        if done.status:
            hint = next((_HINTS[words] for words in _HINTS if words in done.complained), None)
            raise GitFailure(f"git {arguments[0]}: {done.complaint}", hint=hint)
        return os.fsdecode(done.printed)

    def blobs(self, contents: Mapping[str, bytes]) -> dict[str, str]:
        """Keeps contents as blobs and returns their names, under the same keys."""
        names = []
        for position, content in enumerate(contents.values()):
            names.append(os.path.join(self._directory, f"blob{position}"))
            with open(names[-1], "wb") as file:
                file.write(content)
        sent = "".join(f"{name}\n" for name in names).encode()
        hashes = self.run("hash-object", "-w", "--no-filters", "--stdin-paths", sent=sent).split()
        return dict(zip(contents, hashes, strict=True))

    def entries(self, commit: str, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Mode and blob of those of the paths that a commit holds."""
        entries: dict[str, tuple[str, str]] = {}
        for start in range(0, len(paths), 500):
            part = paths[start : start + 500]
            for entry in self.run("ls-tree", "-z", commit, "--", *part).split("\0")[:-1]:
                head, _, path = entry.partition("\t")
                mode, _, blob = head.split()
                entries[path] = mode, blob
        return entries

    def filtered(self, paths: Sequence[str]) -> list[str]:
        """Those of the paths whose content git keeps in another form, such as LFS."""
        sent = "".join(f"{path}\0" for path in paths)
        words = self.run("check-attr", "-z", "--stdin", "filter", sent=os.fsencode(sent))
        rows = words.split("\0")[:-1]
        return [
            path
            for path, value in zip(rows[::3], rows[2::3], strict=True)
            if value not in ("unspecified", "unset")
        ]

    def tree(self, prefix: str, entries: Mapping[str, tuple[str, str]]) -> str:
        """Puts entries (mode and blob, by path) into the index and returns the tree of it.

        Those of the mode `GONE` are taken out first: a directory may come in their place.
        """
        rows = "".join(
            f"{mode} {blob}\t{prefix}{path}\0"
            for path, (mode, blob) in sorted(entries.items(), key=lambda entry: entry[1][0] != GONE)
        )
        self.run("update-index", "-z", "--index-info", sent=os.fsencode(rows))
        return self.run("write-tree").strip()

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Makes a commit and returns its name."""
        sent = message.encode("utf-8", "surrogateescape")
        return self.run("commit-tree", tree, "-p", parent, "-F", "-", sent=sent).strip()

    def unbundle(self, bundle: bytes) -> None:
        """Takes the objects of a bundle into the repository, and none of its branches."""
        path = os.path.join(self._directory, "bundle")
        with open(path, "wb") as file:
            file.write(bundle)
        self.run("-c", "transfer.fsckObjects=true", "bundle", "unbundle", path)

    def parts(self, commit: str) -> tuple[str, list[str], str]:
        """Tree, parents and message of a commit."""
        tree, parents, message = self.run("log", "-1", "--format=%T%n%P%n%B", commit).split("\n", 2)
        return tree, parents.split(), message

    def differing(self, tree: str, other: str) -> list[str]:
        """The paths that are not the same in two trees."""
        words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", tree, other)
        return self.run(*words).split("\0")[:-1]

    def keep_filtered(self, path: str, tree: str) -> None:
        """Lets the filter of a file keep the content that a tree has of it, as `git add` does."""
        content = os.fsencode(self.run("cat-file", "blob", f"{tree}:{path}"))
        self.run("hash-object", "-w", "--stdin", f"--path={path}", sent=content)

    def not_run(self) -> list[str]:
        """What `git commit` would have run here: the hooks that there are, and signing."""
        own = os.path.join(self.run("rev-parse", "--git-common-dir").strip(), "hooks")
        place = os.path.expanduser(self._setting("--path", "--get-all", "core.hooksPath") or own)
        hooks = os.path.join(self._root, place)
        return [hook for hook in _HOOKS if os.access(os.path.join(hooks, hook), os.X_OK)] + (
            ["signing"] if self._setting("--bool", "--get-all", "commit.gpgSign") == "true" else []
        )

    def _setting(self, *words: str) -> str:
        """A setting, of those that are not ours; empty if it is not there."""
        try:
            values = self.run("config", "--show-origin", *words).splitlines()
        except GitFailure:
            return ""
        others = [value for value in values if not value.startswith("command line:")]
        return others[-1].partition("\t")[2] if others else ""

    def checked_out(self, branches: Iterable[str]) -> list[str]:
        """Those of the branches that a work tree of the repository has checked out."""
        refs = [f"refs/heads/{branch}" for branch in branches]
        rows = self.run("for-each-ref", "--format=%(worktreepath)%00%(refname)", *refs).split("\n")
        pairs = (row.partition("\0") for row in rows)
        return [ref.removeprefix("refs/heads/") for place, _, ref in pairs if place and ref in refs]

    def branches(self, tips: Mapping[str, str], expected: str | None) -> None:
        """Makes all branches at once, or none; moves one only from the `expected` commit."""
        steps = [
            f"create refs/heads/{name} {tip}\n"
            if expected is None
            else f"update refs/heads/{name} {tip} {expected}\n"
            for name, tip in tips.items()
        ]
        sent = "".join(["start\n", *steps, "prepare\n", "commit\n"])
        self.run("update-ref", "--stdin", sent=sent.encode("utf-8", "surrogateescape"))


_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop()); "
    "from astedit.landing.commit_steps import main; main()"
)
_NAMED = 5  # files in a message
_SAID = 20  # lines of what a hook prints


@dataclass(frozen=True, slots=True)
class CommitStep:
    """One commit to make: its tree, its message, its branch, and the step that it stands on.

    `parent` counts from 0; None stands on the base.
    """

    tree: str
    message: str
    branch: str
    parent: int | None


class HookedCommits:
    """Makes steps into commits in a sandbox of the root; `filtered` are paths with filters.

    The tree, the index and HEAD stay as they are: what hooks do there is gone with the sandbox.
    """

    def __init__(self, git: GitObjects, sandbox: Sandbox) -> None:
        if not os.path.isdir(os.path.join(sandbox.root, ".git")):
            raise PreconditionError(
                "Hooks run where the root is the top of a work tree and holds git's directory.",
                code="git_outside",
                hint="Land without --run-hooks, or from a clone.",
            )
        self._git, self._sandbox = git, replace(sandbox, directory="")

    def make(self, base: str, steps: Sequence[CommitStep], filtered: Sequence[str]) -> list[str]:
        """Returns the names of the commits, which are in the repository then, on no branch.

        Raises `PreconditionError` where a hook refuses, or makes something else of a commit.
        """
        rows = [asdict(replace(step, branch=f"refs/heads/{step.branch}")) for step in steps]
        task = json.dumps({"base": base, "steps": rows, "filtered": list(filtered)}).encode()
        run = self._sandbox.run(
            [sys.executable, "-I", "-S", "-c", _START, self._git.program, _LIBRARY],
            {TASK: FileState(task)},
            collect=(RESULT, BUNDLE),
        )
        if (output := run.made.get(RESULT)) is None:
            raise _refusal(run.output or run.start_error or "the sandbox has ended")
        result: Mapping[str, object] = json.loads(output)
        if "refused" in result:
            raise _refusal(str(result["refused"]))
        bundle, names = run.made.get(BUNDLE), result["commits"]
        assert bundle is not None and isinstance(names, list)
        self._git.unbundle(bundle)
        self._check(base, steps, names, set(filtered))
        return names

    def _check(
        self, base: str, steps: Sequence[CommitStep], names: Sequence[str], filtered: set[str]
    ) -> None:
        """Every commit has the tree of its step, its parent, and its trailers."""
        for step, name in zip(steps, names, strict=True):
            parent = base if step.parent is None else names[step.parent]
            tree, above, message = self._git.parts(name)
            other = [path for path in self._git.differing(step.tree, tree) if path not in filtered]
            if other:
                raise PreconditionError(
                    f"A hook changed {first_names(other, _NAMED)}: that is not what was previewed.",
                    code="hook_changed",
                    hint="With `astedit prove --format-with CMD` a formatter is part of the plan.",
                )
            if above != [parent] or step.message.splitlines()[-2] not in message:
                raise PreconditionError(
                    "A hook changed the history or took the trailers of a commit.",
                    code="hook_changed",
                )
            for path in filtered.intersection(self._git.differing(step.tree, tree)):
                self._git.keep_filtered(path, step.tree)


def _refusal(output: str) -> PreconditionError:
    return PreconditionError(
        "The commits were not made. " + "\n".join(output.splitlines()[-_SAID:]),
        code="hook",
        hint="Nothing was landed, and the plan is still pending. Without --run-hooks no hook runs.",
    )
