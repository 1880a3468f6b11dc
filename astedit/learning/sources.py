"""The ways in: files, a heredoc, a patch, git, a staged plan, tests of a rule. Reads only.

Each gives files before and after. What is no text, too large or of no language is left out, and
said.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from astedit import git
from astedit.errors import PreconditionError, RequestError, StaleError
from astedit.language import Row, for_path, named
from astedit.language.table import unknown_language
from astedit.learning.difference import ExamplePair
from astedit.limits import MAX_FILE_SIZE, Deadline
from astedit.model.edit import FilePlan
from astedit.producers.patch import fitted
from astedit.producers.patch_text import FilePatch, Hunk, read_patch
from astedit.text.count_phrases import number
from astedit.text.splice import splice
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session

MOST_FILES = 500  # of one example
_MOST_BYTES = 20 * 1024 * 1024  # of all its files
_BLOCK = re.compile(
    rb"^<{4,}[^\n]*\n(?P<before>.*?)^={4,}[^\n]*\n(?P<after>.*?)^>{4,}[^\n]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


PlacedChange = tuple[str, int, int]  # a path, and the bytes of it that change


@dataclass(slots=True)
class ExampleFiles:
    """The files of an example, and in words what was left out of it.

    `pending` are the changes that a pending plan makes already.
    """

    pairs: list[ExamplePair] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    size: int = 0
    pending: set[PlacedChange] = field(default_factory=set)

    def add(self, path: str, before: bytes | None, after: bytes | None, row: Row | None) -> None:
        """Takes one file, if a rule can be learned of it."""
        shown = path if path.isprintable() else repr(path)
        if before is None or after is None:
            self.others.append(f"{shown} is on one side only")
        elif row is None:
            self.others.append(f"{shown} is of no known language")
        elif max(len(before), len(after)) > MAX_FILE_SIZE or b"\0" in before + after:
            self.others.append(f"{shown} is binary or too large")
        elif len(self.pairs) >= MOST_FILES or self.size > _MOST_BYTES:
            if not self.others or "more" not in self.others[-1]:
                self.others.append(f"more than {number(MOST_FILES, 'file')}: the rest is left out")
        else:
            self.size += len(before) + len(after)
            self.pairs.append(ExamplePair(path, before, after, row))

    def checked(self) -> "ExampleFiles":
        """These files; raises `PreconditionError` where nothing of them differs."""
        if not any(pair.before != pair.after for pair in self.pairs):
            why = "; ".join(self.others[:3]) or "both sides are the same"
            raise PreconditionError(
                f"Nothing was learned of the example: {why}.",
                code="nothing_learned",
                hint="Change one place by hand, or name a file before and after.",
            )
        return self


def language(name: str | None) -> Row | None:
    """The language of that name; `RequestError` for one there is not."""
    if name is None:
        return None
    row = named(name)
    if row is None:
        raise unknown_language(name)
    return row


def of_files(before: str, after: str, row: Row | None) -> ExampleFiles:
    """Two files, or two directories with files of the same names."""
    found = ExampleFiles()
    if os.path.isdir(before) != os.path.isdir(after):
        raise RequestError(f"{before} and {after} are not both files or both directories.")
    if not os.path.isdir(before):
        known = row or for_path(after) or for_path(before)
        found.add(after, _read(before), _read(after), known)
        return found.checked()
    for path in sorted(_below(before)):
        other = os.path.join(after, path)
        if os.path.isfile(other):
            found.add(path, _read(os.path.join(before, path)), _read(other), row or for_path(path))
        else:
            found.others.append(f"{path!r} is only in {before}")
    return found.checked()


def _below(directory: str) -> Iterator[str]:
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), directory)


def _read(path: str) -> bytes:
    try:
        if not os.path.isfile(path):
            raise RequestError(f"{path} is not a file.", path=path)
        with open(path, "rb") as file:
            return file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}.", path=path) from error


def of_heredoc(text: bytes, row: Row | None) -> ExampleFiles:
    """`<<<<`, the code before, `====`, the code after, `>>>>`; as often as there are examples."""
    if row is None:
        raise RequestError("No language given.", hint="Say -l NAME: a heredoc has no file name.")
    found = ExampleFiles()
    for at, block in enumerate(_BLOCK.finditer(text), 1):
        found.add(f"example-{at}", block["before"], block["after"], row)
    if not found.pairs and not found.others:
        raise RequestError(
            "There is no example on standard input.",
            hint="Write a line of <<<<, the code before, ====, the code after, and >>>>.",
            code="bad_example",
        )
    return found.checked()


def of_patch(text: bytes, workspace: Workspace) -> ExampleFiles:
    """What a patch changes, whether it is applied already or not."""
    if len(text) > _MOST_BYTES:
        raise RequestError(
            f"The patch has {len(text):,} bytes; rules are learned of at most {_MOST_BYTES:,}.",
            hint="Cut it down to a few files that show the change.",
        )
    found = ExampleFiles()
    for file in read_patch(text):
        if file.binary is not None or file.old is None or file.new is None or not file.hunks:
            found.add(file.name, None, None, None)
            continue
        if len(found.pairs) >= MOST_FILES:
            found.add(file.name, b"", b"", for_path(file.new))
            break
        before, after = _sides(file, _content(workspace, file.new))
        found.add(file.new, before, after, for_path(file.new))
    return found.checked()


def _content(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(workspace.resolve(path), MAX_FILE_SIZE + 1)[0]
    except (OSError, RequestError, PreconditionError):
        return None


def _sides(file: FilePatch, content: bytes | None) -> tuple[bytes | None, bytes | None]:
    """The file before and after; of one that fits neither way the hunks alone."""
    if content is not None and len(content) <= MAX_FILE_SIZE:
        forward = fitted(file.name, content, file.hunks)
        if not forward.misfits:
            return content, splice(content, forward.changes)
        turned = [_turned(hunk) for hunk in file.hunks]
        backward = fitted(file.name, content, turned)
        if not backward.misfits:
            return splice(content, backward.changes), content
    new = b"".join(text for hunk in file.hunks for mark, text in hunk.lines if mark != "-")
    return b"".join(hunk.old for hunk in file.hunks), new


def _turned(hunk: Hunk) -> Hunk:
    marks = {"-": "+", "+": "-"}
    gone = [(marks.get(mark, mark), text) for mark, text in hunk.lines]
    return Hunk(hunk.number, None, gone, hunk.recounted)


_DIFF = ("--no-renames", "--no-ext-diff", "--no-textconv", "--name-only", "-z", "--diff-filter=M")


def of_uncommitted(workspace: Workspace, paths: Sequence[str], deadline: Deadline) -> ExampleFiles:
    """What differs from HEAD: something that was begun."""
    _refuse_without_git(workspace, deadline)
    asked = ["diff", *_DIFF, "--relative", "HEAD", "--", *paths]
    names = git.answer(workspace.root, asked, deadline)
    if names is None:
        raise PreconditionError(
            "There is no commit yet to compare with.",
            code="no_commit",
            hint="Commit once, or name a file before and after.",
        )
    return _between(workspace, names, "HEAD", partial(_content, workspace), deadline)


def of_commit(revision: str, workspace: Workspace, deadline: Deadline) -> ExampleFiles:
    """What a commit changes, or all commits of a range."""
    _refuse_without_git(workspace, deadline)
    first, dots, last = revision.partition("..")
    old, new = (first, last.lstrip(".") or "HEAD") if dots else (f"{revision}^", revision)
    trees = []
    for name in (old, new):
        asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}"]
        tree = git.answer(workspace.root, asked, deadline)
        if tree is None:
            raise RequestError(f"{name!r} is not a revision.", hint="Such as HEAD or HEAD~3..HEAD.")
        trees.append(tree.decode().strip())
    names = git.answer(workspace.root, ["diff-tree", "-r", *_DIFF, "--relative", *trees], deadline)
    return _between(
        workspace,
        names or b"",
        trees[0],
        lambda path: _blob(workspace, trees[1], path, deadline),
        deadline,
    )


def _refuse_without_git(workspace: Workspace, deadline: Deadline) -> None:
    if git.program(workspace.root) is None:
        raise git.no_git("What was begun")
    asked = ["rev-parse", "--is-inside-work-tree"]
    if git.answer(workspace.root, asked, deadline) != b"true\n":
        raise PreconditionError(
            "This is not a git work tree.",
            code="no_repository",
            hint="Name a file before and after: astedit learn BEFORE AFTER.",
        )


def _between(
    workspace: Workspace,
    names: bytes,
    old: str,
    read: Callable[[str], bytes | None],
    deadline: Deadline,
) -> ExampleFiles:
    found = ExampleFiles()
    for path in [os.fsdecode(name) for name in names.split(b"\0")[:-1]]:
        if for_path(path) is None or len(found.pairs) >= MOST_FILES:
            found.add(path, b"", b"", for_path(path))
            continue
        found.add(path, _blob(workspace, old, path, deadline), read(path), for_path(path))
    return found.checked()


def _blob(workspace: Workspace, tree: str, path: str, deadline: Deadline) -> bytes | None:
    return git.answer(workspace.root, ["cat-file", "blob", f"{tree}:./{path}"], deadline)


def of_tests(directory: str, row: Row | None) -> ExampleFiles:
    """Tests of a rule: `before`/`after` files beside each other, or YAML with `fixes`."""
    from astedit.rule.yaml import read_yaml

    found = ExampleFiles()
    if not os.path.isdir(directory):
        raise RequestError(f"{directory} is not a directory.", path=directory)
    for path in sorted(_below(directory)):
        whole = os.path.join(directory, path)
        stem, dot, ending = path.rpartition(".")
        if ending in ("yml", "yaml"):
            for document in read_yaml(_read(whole), path):
                _of_test(document, path, row, found)
        elif re.search(r"(^|[/_.-])before$", stem):
            other = f"{os.path.join(directory, stem[: -len('before')])}after{dot}{ending}"
            if os.path.isfile(other):
                found.add(path, _read(whole), _read(other), row or for_path(path))
    return found.checked()


def _of_test(document: Any, path: str, row: Row | None, files: ExampleFiles) -> None:
    if not isinstance(document, dict):
        return
    row = row or language(document.get("language"))
    if row is None:
        raise RequestError(f"{path}: no language given.", hint="Say -l NAME.", path=path)
    for at, code in enumerate(document.get("valid") or []):
        files.add(f"{path}#valid-{at}", str(code).encode(), str(code).encode(), row)
    for at, case in enumerate(document.get("fixes") or []):
        if isinstance(case, dict) and case.get("fixed") is not None:
            texts = (str(case.get("code", "")).encode(), str(case["fixed"]).encode())
            files.add(f"{path}#fix-{at}", *texts, row)


def of_plan(action: PendingAction, session: Session, workspace: Workspace) -> ExampleFiles:
    """What was accepted of a plan, and what was rejected: that stays as it is.

    Where nothing was accepted, everything was that is not rejected. Raises
    `PreconditionError`: `stale`, or `image_gone` for an applied plan whose files are forgotten.
    """
    from astedit.staging.stored import stored
    from astedit.staging.stored_review import decisions_about

    plan = stored(session, action)
    decisions = decisions_about(action.id, session.records)
    choices = {id: decision.choice for id, decision in decisions.items()}
    some = "accept" in choices.values()
    found = ExampleFiles()
    for file in plan.files:
        if file.operation != "modify":
            found.others.append(f"{file.title} is a whole file")
            continue
        before = _before(file, action, session, workspace)
        accepted = [
            edit for edit in file.edits
            if choices.get(edit.id) == "accept" or not (some or choices.get(edit.id))
        ]  # fmt: skip
        after = splice(before, [(edit.start, edit.end, edit.new) for edit in accepted])
        found.add(file.path, before, after, for_path(file.path))
        if found.pairs and found.pairs[-1].path == file.path:
            open_edits = [e for e in file.edits if e not in accepted and not choices.get(e.id)]
            spans = tuple((edit.start, edit.end) for edit in open_edits)
            found.pairs[-1] = replace(found.pairs[-1], ignored=spans)
        if action.state == "pending":
            found.pending |= {(file.path, e.start, e.end) for e in file.edits}
    return found.checked()


def _before(file: FilePlan, action: PendingAction, session: Session, workspace: Workspace) -> bytes:
    content = _content(workspace, file.path)
    if content is not None and sha256(content).hexdigest() == file.before_hash:
        return content
    image = session.records.image(file.before_hash) if file.before_hash else None
    if image is not None:
        return image
    if action.state == "applied":
        raise PreconditionError(
            f"What {file.path} held before {action.id} is not stored any more.",
            path=file.path,
            code="image_gone",
            hint="Learn of the commit instead: astedit learn --commit REV.",
        )
    raise StaleError(
        f"{file.path} is not as it was when {action.id} was previewed.",
        path=file.path,
        hint="Refresh that plan, or preview it again.",
    )


class ExampleWays(NamedTuple):
    """Where an example is, in one of these ways; in none: what was begun in the work tree."""

    files: tuple[str, str] | None = None
    heredoc: bytes | None = None
    patch: bytes | None = None
    commit: str | None = None
    tests: str | None = None
    plan: str | None = None

    def example(
        self,
        workspace: Workspace,
        session: Callable[[], AbstractContextManager[Session]],
        lang: str | None,
        deadline: Deadline,
    ) -> ExampleFiles:
        """Reads it. `session` opens the stack that the plan is in."""
        row = language(lang)
        if self.files is not None:
            return of_files(*self.files, row)
        if self.heredoc is not None:
            return of_heredoc(self.heredoc, row)
        if self.patch is not None:
            return of_patch(self.patch, workspace)
        if self.commit is not None:
            return of_commit(self.commit, workspace, deadline)
        if self.tests is not None:
            return of_tests(self.tests, row)
        if self.plan is not None:
            with session() as stack:
                return of_plan(stack.store.find(self.plan), stack, workspace)
        return of_uncommitted(workspace, ["."], deadline)
