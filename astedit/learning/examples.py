"""The ways in: files, a heredoc, a patch, git, a staged plan, tests of a rule. Reads only.

Each gives files before and after. What is no text, too large or of no language is left out, and
said.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from astedit import git
from astedit.errors import PreconditionError, RequestError, StaleError
from astedit.language import Row, for_path, named
from astedit.language.table import unknown_language
from astedit.limits import MAX_FILE_SIZE, Deadline
from astedit.model.edit import FilePlan
from astedit.producers.patch import fitted
from astedit.producers.patch_text import FilePatch, Hunk, read_patch
from astedit.text import number
from astedit.text.diff import changed_lines
from astedit.text.source import splice
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.visible import one_line

_MOST_FILES = 500  # of one example
_MOST_BYTES = 20 * 1024 * 1024  # of all its files
_BLOCK = re.compile(
    rb"^<{4,}[^\n]*\n(?P<before>.*?)^={4,}[^\n]*\n(?P<after>.*?)^>{4,}[^\n]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
# A file that git shows nothing of
_BINARY = re.compile(rb"(?m)^diff --git .*\n(?:[a-z].*\n)*?(Binary files .*)\n?")
# Whole files, as one hunk each, whatever the settings of the repository.
_DIFF = ("-p", "-U10000000", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
         "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--diff-filter=M")  # fmt: skip

PlacedChange = tuple[str, int, int]  # a path, and the bytes of it that change


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """One file of an example, before and after; both are the same where nothing may happen.

    Of the bytes `ignored` nobody has said whether they may change.
    """

    path: str
    before: bytes
    after: bytes
    row: Row = field(repr=False)
    ignored: tuple[PlacedChange, ...] = ()


@dataclass(slots=True)
class ExampleFiles:
    """The files of an example, and in words what was left out of it.

    `pending` are the changes that a pending plan makes already, or the tree has.
    """

    pairs: list[ExamplePair] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    pending: set[PlacedChange] = field(default_factory=set)

    def add(
        self, path: str, before: bytes, after: bytes, row: Row | None, *ignored: PlacedChange
    ) -> None:
        """Takes one file, if a rule can be learned of it."""
        name = path if path.isprintable() else repr(path)
        size = sum(len(pair.before) + len(pair.after) for pair in self.pairs)
        if row is None:
            self.others.append(f"{name} is of no known language")
        elif max(len(before), len(after)) > MAX_FILE_SIZE or b"\0" in before + after:
            self.others.append(f"{name} is binary or too large")
        elif len(self.pairs) >= _MOST_FILES or size > _MOST_BYTES:
            self.others.append(f"{name} is left out: {number(len(self.pairs), 'file')} are enough")
        else:
            self.pairs.append(ExamplePair(path, before, after, row, ignored))

    def leave_done(self, workspace: Workspace) -> None:
        """Leaves the places as they are whose files are in the tree as the example made them."""
        for pair in self.pairs:
            shift = 0
            is_done = pair.before != pair.after and _content(workspace, pair.path) == pair.after
            for start, end, new in changed_lines(pair.before, pair.after) if is_done else ():
                lines = new.rstrip(b"\r\n")  # what begins the next line is no part of it
                place = (pair.path, start + shift, start + shift + len(lines))
                self.pending |= {place} if lines else set()
                shift += len(new) - (end - start)

    def checked(self) -> "ExampleFiles":
        """These files; raises `PreconditionError` where nothing of them differs."""
        if not any(pair.before != pair.after for pair in self.pairs):
            why = "; ".join(self.others[:3]) or "both sides are the same"
            raise PreconditionError(
                f"Nothing was learned of the example: {why}.",
                code="nothing_learned",
                hint="Change one place by hand, or name a file before and after. -l NAME says of "
                "which language files are.",
            )
        return self


def read_example(
    workspace: Workspace,
    session: Callable[[], AbstractContextManager[Session]],
    lang: str | None = None,
    *,
    files: tuple[str, str] | None = None,
    heredoc: bytes | None = None,
    patch: bytes | None = None,
    commit: str | None = None,
    tests: str | None = None,
    plan: str | None = None,
) -> ExampleFiles:
    """An example in one of these ways; in none: what was begun in the work tree.

    `session` opens the stack that the plan is in.
    """
    row = None if lang is None else named(lang)
    if lang is not None and row is None:
        raise unknown_language(lang)
    if plan is not None:
        with session() as stack:
            return of_plan(stack.store.find(plan), stack, workspace)
    example = ExampleFiles()
    if files is not None:
        _add_files(example, *files, row)
    elif heredoc is not None:
        _add_heredoc(example, heredoc, row)
    elif tests is not None:
        _add_tests(example, tests, row)
    else:
        text = _diff(workspace, commit, Deadline()) if patch is None else patch
        _add_patch(example, text, workspace)
    return example.checked()


def _add_files(example: ExampleFiles, before: str, after: str, row: Row | None) -> None:
    """Two files, or two directories with files of the same names."""
    if os.path.isdir(before) != os.path.isdir(after):
        raise RequestError(f"{before} and {after} are not both files or both directories.")
    if not os.path.isdir(before):
        example.add(after, _read(before), _read(after), row or for_path(after) or for_path(before))
        return
    for path in sorted(_below(before)):
        old, new = os.path.join(before, path), os.path.join(after, path)
        if os.path.isfile(new):
            example.add(path, _read(old), _read(new), row or for_path(path))
        else:
            example.others.append(f"{path!r} is only in {before}")


def _below(directory: str) -> Iterator[str]:
    for folder, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.relpath(os.path.join(folder, name), directory) for name in files)


def _read(path: str) -> bytes:
    try:
        if not os.path.isfile(path):
            raise RequestError(f"{path} is not a file.", path=path)
        with open(path, "rb") as file:
            return file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}.", path=path) from error


def _add_heredoc(example: ExampleFiles, text: bytes, row: Row | None) -> None:
    """`<<<<`, the code before, `====`, the code after, `>>>>`; as often as there are examples."""
    if row is None:
        raise RequestError("No language given.", hint="Say -l NAME: a heredoc has no file name.")
    for at, block in enumerate(_BLOCK.finditer(text), 1):
        example.add(f"example-{at}", block["before"], block["after"], row)
    if not example.pairs and not example.others:
        raise RequestError(
            "There is no example on standard input.",
            hint="Write a line of <<<<, the code before, ====, the code after, and >>>>.",
            code="bad_example",
        )


def _add_tests(example: ExampleFiles, directory: str, row: Row | None) -> None:
    """Tests of a rule: `before`/`after` files beside each other, or YAML with `fixes`."""
    from astedit.rule.yaml import read_yaml

    if not os.path.isdir(directory):
        raise RequestError(f"{directory} is not a directory.", path=directory)
    for path in sorted(_below(directory)):
        whole = os.path.join(directory, path)
        stem, ending = os.path.splitext(whole)
        if ending in (".yml", ".yaml"):
            for document in read_yaml(_read(whole), path):
                _add_cases(example, document, path, row)
        elif re.search(r"(^|[/_.-])before$", stem):
            after = stem.removesuffix("before") + "after" + ending
            if os.path.isfile(after):
                example.add(path, _read(whole), _read(after), row or for_path(path))


def _add_cases(example: ExampleFiles, document: Any, path: str, row: Row | None) -> None:
    if not isinstance(document, dict):
        return
    name = document.get("language")
    row = row or (named(name) if isinstance(name, str) else None)
    if row is None:
        raise RequestError(f"{path}: no language given.", hint="Say -l NAME.", path=path)
    cases = [(code, code) for code in document.get("valid") or []]
    cases += [
        (case.get("code", ""), case["fixed"])
        for case in document.get("fixes") or []
        if isinstance(case, dict) and case.get("fixed") is not None
    ]
    for at, (before, after) in enumerate(cases):
        example.add(f"{path}#{at}", str(before).encode(), str(after).encode(), row)


# -- what differs --------------------------------------------------------------------------------


def _diff(workspace: Workspace, revision: str | None, deadline: Deadline) -> bytes:
    """What differs from HEAD, or what a commit or a range of them changes, as a patch."""
    first, dots, last = (revision or "HEAD").partition("..")
    names = (first, last.lstrip(".") or "HEAD") if dots else (f"{first}^", first)
    parent = ["rev-list", "--skip=1", "--max-count=1", "--first-parent", "--end-of-options", first]
    if not dots and revision and git.answer(workspace.root, parent, deadline) == b"":
        raise RequestError(f"{first} is the first commit: all that it holds is new.")
    trees = [
        git.tree(workspace.root, name, deadline, "An example without files")
        for name in (names[::-1] if revision else ("HEAD",))
    ][::-1]
    words = ["diff-tree", "-r"] if revision else ["diff-index"]  # `git diff` writes the index
    return git.answer(workspace.root, [*words, *_DIFF, *trees, "--", "."], deadline) or b""


def _add_patch(example: ExampleFiles, text: bytes, workspace: Workspace) -> None:
    """What a patch changes, whether it is applied already or not."""
    if len(text) > _MOST_BYTES:
        end = text.rfind(b"\ndiff --git ", 0, _MOST_BYTES)
        if end < 0:
            raise RequestError(
                f"The patch has {len(text):,} bytes; rules are learned of at most {_MOST_BYTES:,}.",
                hint="Cut it down to a few files that show the change.",
            )
        text = text[: end + 1]
        example.others.append(f"behind {number(len(text), 'byte')} the patch was not read")
    example.others += [one_line(line.decode("utf-8", "replace")) for line in _BINARY.findall(text)]
    text = _BINARY.sub(b"", text)
    for file in read_patch(text) if text else ():
        if file.old is None or file.new is None:
            example.others.append(f"{file.name!r} is on one side only")
        elif file.binary is None and file.hunks:
            example.add(file.new, *_sides(file, _content(workspace, file.new)), for_path(file.new))


def _content(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(workspace.resolve(path), MAX_FILE_SIZE + 1)[0]
    except (OSError, RequestError, PreconditionError):
        return None


def _sides(file: FilePatch, content: bytes | None) -> tuple[bytes, bytes]:
    """The file before and after; of one that fits neither way the hunks alone."""
    marks = {"-": "+", "+": "-"}
    turned = [
        Hunk(one.number, None, [(marks.get(m, m), text) for m, text in one.lines], one.recounted)
        for one in file.hunks
    ]
    if content is not None and len(content) <= MAX_FILE_SIZE:
        forward = fitted(file.name, content, file.hunks)
        if not forward.misfits:
            return content, splice(content, forward.changes)
        backward = fitted(file.name, content, turned)
        if not backward.misfits:
            return splice(content, backward.changes), content
    return b"".join(hunk.old for hunk in file.hunks), b"".join(hunk.old for hunk in turned)


# -- a plan --------------------------------------------------------------------------------------


def of_plan(action: PendingAction, session: Session, workspace: Workspace) -> ExampleFiles:
    """What was accepted of a plan, and what was rejected: that stays as it is.

    Where nothing was accepted, everything was that is not rejected. Raises
    `PreconditionError`: `stale`, or `image_gone` for an applied plan whose files are forgotten.
    """
    from astedit.staging.stored import stored
    from astedit.staging.stored_review import decisions_about

    decisions = decisions_about(action.id, session.records)
    choices = {id: decision.choice for id, decision in decisions.items()}
    usual = None if "accept" in choices.values() else "accept"
    example = ExampleFiles()
    for file in stored(session, action).files:
        if file.operation != "modify":
            example.others.append(f"{file.title} is a whole file")
            continue
        before = _before(file, action, session, workspace)
        of_choice: dict[str | None, list[Any]] = {"accept": [], "reject": [], None: []}
        for edit in file.edits:
            of_choice[choices.get(edit.id) or usual].append(edit)
        after = splice(before, [(edit.start, edit.end, edit.new) for edit in of_choice["accept"]])
        undecided = [(file.path, edit.start, edit.end) for edit in of_choice[None]]
        example.add(file.path, before, after, for_path(file.path), *undecided)
        if action.state == "pending":
            example.pending |= {(file.path, edit.start, edit.end) for edit in file.edits}
    return example.checked()


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
