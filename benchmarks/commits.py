"""`python -m benchmarks.commits`: what was begun in real commits, and what learn makes of it.

ASTEDIT_COMMITS names a directory with a clone of each repository as `owner+name/repo`. Of each
commit the changes of two files are learned, and the rule is tried on its other files: a line
that the commit changes is found, wrong (something else than the commit), or missed. A line
that only the rule changes is more. At most five questions are answered as the commit says.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

from astedit.engine.run_context import Run
from astedit.errors import AstEditError
from astedit.language import for_path
from astedit.learning.examples import ExampleFiles
from astedit.learning.learning import Learning, PlaceQuestion
from astedit.text.source import splice
from astedit.workspace.root import Workspace
from benchmarks.learned import apart

COMMITS = (
    ("encode+django-rest-framework", "a1dbd93f5", "`assertEquals` to `assertEqual`"),
    ("encode+django-rest-framework", "3f19e66d9", "`ugettext` to `gettext`"),
    ("tornadoweb+tornado", "04ebadd8", "no `(object)`"),
    ("tornadoweb+tornado", "16c6893a", '`b("x")` to `b"x"`'),
    ("tornadoweb+tornado", "17eed4fe", "`except:` to `except Exception:`"),
    ("scrapy+scrapy", "a138fb05d", "`to_native_str` to `to_unicode`"),
    ("scrapy+scrapy", "4ca61a205", "other names of assertions"),
    ("scrapy+scrapy", "ce8e515fa", "no types of `six`"),
    ("celery+celery", "308742186", "`gen_unique_id` to `uuid`"),
    ("expressjs+express", "5e328830", "`merge` to `Object.merge`"),
)
_EXAMPLES = 2  # files of a commit that are learned


def git(repository: Path, *words: str) -> bytes:
    """What git prints."""
    command = ["git", f"--git-dir={repository}", *words]
    return subprocess.run(command, capture_output=True, check=True).stdout


def files_of(repository: Path, commit: str) -> dict[str, tuple[bytes, bytes]]:
    """The files of a commit that a rule may change, before and after."""
    words = ("diff-tree", "-r", "--name-only", "--diff-filter=M", f"{commit}^", commit)
    paths = sorted(git(repository, *words).decode().split())
    return {
        path: (
            git(repository, "show", f"{commit}^:{path}"),
            git(repository, "show", f"{commit}:{path}"),
        )
        for path in paths
        if for_path(path) is not None and path.endswith((".py", ".js"))
    }


def lines_of(text: bytes) -> list[bytes]:
    """The lines of a text, without the spaces in them."""
    return [b"".join(line.split()) for line in text.splitlines()]


def changes(before: bytes, after: bytes) -> dict[int, bytes]:
    """What the lines that change become, by their number."""
    old, new = lines_of(before), lines_of(after)
    result = {}
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for at in range(i, max(j, i + 1)):
            result[at] = new[k + at - i] if j - i == m - k else b"\n".join(new[k:m])
    return result


def is_between(text: bytes, old: bytes, new: bytes) -> bool:
    """Whether a text is on the way from one to another."""
    words = [re.findall(rb"\w+|\W", one) for one in (old, text, new)]
    return apart(words[0], words[2]) == apart(*words[:2]) + apart(*words[1:])


def agrees(question: PlaceQuestion, files: dict[str, tuple[bytes, bytes]]) -> bool:
    """Whether the commit changes a place in the same way."""
    place = question.place
    texts = files[place.path]
    made = splice(texts[0], list(place.changes))
    wanted, lines = changes(*texts), [*lines_of(texts[0]), b""]
    return all(
        at in wanted and is_between(text, lines[at], wanted[at])
        for at, text in changes(texts[0], made).items()
    )


def outcome(repository: Path, commit: str, most: int) -> Counter[str]:
    """How many lines are found, missed, wrong and more, and how many questions were put."""
    files = files_of(repository, commit)
    count = Counter[str](files=len(files))
    example = ExampleFiles()
    for path in list(files)[:_EXAMPLES]:
        example.add(path, *files.pop(path), for_path(path))
    with tempfile.TemporaryDirectory() as folder:
        for path, (before, _) in files.items():
            Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, path).write_bytes(before)
        with Workspace(folder) as workspace:
            learning = Learning.of(example, workspace, Run(inline=True, jobs=1), most=most)
            while (question := learning.next()) is not None:
                count["asked"] += 1
                learning.answer(question.id, "yes" if agrees(question, files) else "no")
            plan = learning.plan()
            count["blocked"] = len(plan.blocked)
    made = {file.path: [(e.start, e.end, e.new) for e in file.edits] for file in plan.files}
    for path, (before, after) in files.items():
        wanted = changes(before, after)
        got = changes(before, splice(before, made.get(path, [])))
        count["lines"] += len(wanted)
        for at in wanted.keys() | got.keys():
            is_found = got.get(at) == wanted.get(at)
            word = "found" if is_found else "missed" if at not in got else "wrong"
            count["more" if at not in wanted else word] += 1
    return count


def main() -> None:
    """Prints a row for each commit."""
    place = os.environ.get("ASTEDIT_COMMITS")
    if not place:
        sys.exit("ASTEDIT_COMMITS names no directory with the clones.")
    words = ("files", "lines", "found", "missed", "wrong", "more", "blocked", "asked")
    print(f"{'':30}", *(f"{word:>8}" for word in words))
    for name, commit, title in COMMITS:
        for most in (0, 5):
            try:
                row = outcome(Path(place, name, "repo"), commit, most)
            except AstEditError as error:
                print(f"{name} {commit} {title}: {error}")
                continue
            print(f"{name:30}", *(f"{row[word]:8}" for word in words), title, flush=True)


if __name__ == "__main__":
    main()
