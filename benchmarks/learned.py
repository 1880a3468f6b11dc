"""`python -m benchmarks.learned KIND`: rules learned of the tests of fixers.

KIND is django-upgrade, pyupgrade, rector-src or userland-migrations. ASTEDIT_FIXERS names a
directory with a checkout of each; their tests are read, never run, and nothing of them is kept.
One pair of input and output is left out, a rule is learned of the others, and applied to the
input left out and to what the fixer leaves alone. A simulated user who knows the fixer answers
the questions, which are about those places.
"""

import argparse
import ast
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from astedit.engine.run_context import Run
from astedit.errors import AstEditError
from astedit.language import Row, for_path
from astedit.learning.edits import ParsedTexts, tokens
from astedit.learning.examples import ExampleFiles, ExamplePair
from astedit.learning.learning import Learning, PlaceQuestion
from astedit.text.source import splice
from astedit.workspace.root import Workspace

_SPLIT = "-----\n"  # between before and after, in a fixture of rector
_LEAST = 3  # pairs of a fixer
_FOLDS = 12  # pairs of a fixer that are left out, unless told otherwise
_QUESTIONS = 5
_RULES = 30  # as many as learning again of what is left would give


@dataclass(slots=True)
class Fixer:
    """What the tests of one fixer say: pairs as (file name, before, after), and what stays."""

    name: str
    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    noops: list[tuple[str, str]] = field(default_factory=list)

    def checked(self) -> "Fixer":
        """Without doubles and without what is changed under other settings."""
        self.pairs = list(dict.fromkeys(self.pairs))
        changed = {(name, before) for name, before, _ in self.pairs}
        self.noops = [noop for noop in dict.fromkeys(self.noops) if noop not in changed]
        twice = Counter((name, before) for name, before, _ in self.pairs)
        self.pairs = [pair for pair in self.pairs if twice[pair[:2]] == 1]
        return self


# -- the tests of the fixers ---------------------------------------------------------------------


def fixers(place: Path, kind: str) -> Iterator[Fixer]:
    """Those with enough pairs that parse."""
    pattern, read = KINDS[kind]
    for path in sorted((place / kind).glob(pattern)):
        fixer = Fixer(path.stem.removeprefix("test_").removesuffix("_test"))
        read(path, fixer)
        fixer.checked()
        if len(fixer.pairs) >= _LEAST:
            yield fixer


def _of_fixtures(place: Path, fixer: Fixer) -> None:
    for path in sorted(place.glob("**/*.php.inc")):
        before, _, after = path.read_text(errors="replace").partition(_SPLIT)
        _add(fixer, "code.php", before.rstrip() + "\n", (after or before).rstrip() + "\n")


def _of_files(place: Path, fixer: Fixer) -> None:
    for path in sorted(place.glob("tests/**/*input*/**/*")) + sorted(
        place.glob("tests/**/input.*")
    ):
        after = Path(str(path).replace("/input", "/expected"))
        if path.is_file() and after.is_file() and for_path(path.name) is not None:
            _add(fixer, f"code{path.suffix}", path.read_text(), after.read_text())


def _add(fixer: Fixer, name: str, before: str, after: str) -> None:
    if before == after:
        fixer.noops.append((name, before))
    else:
        fixer.pairs.append((name, before, after))


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node


def _rows(function: ast.FunctionDef) -> Iterator[dict[str, ast.expr]]:
    """The parameters of each run of a test."""
    rows: list[dict[str, ast.expr]] = [{}]
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and "parametrize" in ast.unparse(decorator.func)):
            continue
        names, values = decorator.args
        if not isinstance(values, ast.Tuple | ast.List):
            return
        labels = _labels(names)
        rows = [row | bound for value in values.elts for row in rows
                for bound in _bound(labels, value)]  # fmt: skip
    yield from rows


def _labels(names: ast.expr) -> list[str]:
    value = ast.literal_eval(names)
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else list(value)


def _bound(labels: Sequence[str], value: ast.expr) -> Iterator[dict[str, ast.expr]]:
    if isinstance(value, ast.Call):  # pytest.param
        values = value.args
    elif isinstance(value, ast.Tuple) and len(labels) > 1:
        values = value.elts
    else:
        values = [value]
    if len(values) == len(labels):
        yield dict(zip(labels, values, strict=True))


def _text(node: ast.expr | None, row: Mapping[str, ast.expr]) -> str | None:
    """The text of a literal, or of one with parameters in it."""
    if isinstance(node, ast.Name):
        return _text(row.get(node.id), {})
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, row)
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part, row) for part in node.values]
        return None if None in parts else "".join(part or "" for part in parts)
    return None


def _of_calls(path: Path, fixer: Fixer) -> None:
    for function in _functions(path):
        for row in _rows(function):
            for call in ast.walk(function):
                if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
                    continue
                named_ones = {word.arg: word.value for word in call.keywords}
                name = _text(named_ones.get("filename"), row) or "code.py"
                texts = [_text(node, row) for node in call.args]
                usual = len(texts) == len([text for text in texts if text is not None])
                if call.func.id == "check_transformed" and None not in texts[:2]:
                    before, after = (dedent(text or "") for text in texts[:2])
                    fixer.pairs.append((name, before, after))
                elif call.func.id == "check_noop" and usual and "settings" not in named_ones:
                    fixer.noops.append((name, dedent(texts[0] or "")))


_OTHER_SETTINGS = ("min_version", "version", "settings")


def _of_parameters(path: Path, fixer: Fixer) -> None:
    for function in _functions(path):
        source = ast.unparse(function)
        for row in _rows(function):
            before = _text(row.get("s") or row.get("src"), {})
            after = _text(row.get("expected"), {})
            usual = not any(name in row for name in _OTHER_SETTINGS)
            if before is None or ("percent" in function.name and "to_format" in function.name):
                continue
            if after is not None and after != before and "_fix" in source:
                fixer.pairs.append(("code.py", before, after))
            elif "noop" in function.name and usual and _is_plain(function, source):
                fixer.noops.append(("code.py", before))


def _is_plain(function: ast.FunctionDef, source: str) -> bool:
    """Whether code stays for what it is, and not for the settings."""
    return "Settings(" in source and ("Settings()" in source or "noop_" not in function.name)


KINDS = {
    "django-upgrade": ("tests/fixers/test_*.py", _of_calls),
    "pyupgrade": ("tests/features/*_test.py", _of_parameters),
    "rector-src": ("rules-tests/*/Rector/*/*", _of_fixtures),
    "userland-migrations": ("recipes/*", _of_files),
}


# -- one pair left out ---------------------------------------------------------------------------


def code(text: str, row: Row) -> tuple[list[str], list[bytes]]:
    """What counts of a text: its imports as a set, and its other tokens, comments left out."""
    root = ParsedTexts().root(row, text.encode())
    is_python = row.name == "python"
    lines = [node for node in root.children if is_python and "import" in node.type]
    names = set()
    for line in lines:
        try:
            statement = ast.parse(line.text or b"").body[0]
        except SyntaxError:
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            head = getattr(statement, "module", None), getattr(statement, "level", 0)
            names |= {f"{head} {ast.unparse(alias)}" for alias in statement.names}
    rest = [token for node in root.children if node not in lines for token in tokens([node])]
    following = [*rest[1:], b""]
    return sorted(names), [
        token
        for token, after in zip(rest, following, strict=False)
        if not (token == b"," and after in (b")", b"]", b"}"))
    ]


def _row(path: str) -> Row:
    row = for_path(path)
    assert row is not None
    return row


def apart(left: Sequence[object], right: Sequence[object]) -> int:
    """How many items have to go and come."""
    row = [0] * (len(right) + 1)
    for one in left:
        above = row
        row = [0]
        for at, two in enumerate(right, 1):
            row.append(above[at - 1] + 1 if one == two else max(above[at], row[at - 1]))
    return len(left) + len(right) - 2 * row[-1]


def _agrees(question: PlaceQuestion, before: str, after: str, row: Row) -> bool:
    """Whether the change of a place is one that the fixer makes, too."""
    place = question.place
    source = before.encode()
    line = source.rfind(b"\n", 0, place.start) + 1
    start = source.rfind(place.before.encode(), 0, line + len(place.before.encode()))
    made = source[:start] + place.after.encode() + source[start + len(place.before.encode()) :]
    old, new, wanted = (
        list(tokens([ParsedTexts().root(row, text)])) for text in (source, made, after.encode())
    )
    return old != new and apart(old, wanted) == apart(old, new) + apart(new, wanted)


@dataclass(slots=True)
class Outcome:
    """What came of one pair left out: a word for it, and what of the rest was changed."""

    word: str
    noops: int = 0
    changed: int = 0
    questions: int = 0
    seconds: float = 0.0
    rules: str = ""
    why: str = ""
    got: str = ""


def left_out(fixer: Fixer, at: int, most: int, count: int | None = None) -> Outcome:
    """Learns of the other pairs (the first `count` of them), and looks at this one."""
    started = time.perf_counter()
    others = [pair for number, pair in enumerate(fixer.pairs) if number != at][:count]
    name, before, after = fixer.pairs[at]
    inputs = {f"x/{name}": (before, after)}
    for number, (path, text) in enumerate(fixer.noops):
        inputs[f"n{number}/{path}"] = text, text
    example = ExampleFiles([
        ExamplePair(f"e{number}/{path}", old.encode(), new.encode(), _row(path))
        for number, (path, old, new) in enumerate(others)
    ])  # fmt: skip
    result = Outcome("missed", noops=len(fixer.noops))
    with tempfile.TemporaryDirectory() as place:
        for path, (text, _) in inputs.items():
            file = Path(place, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        try:
            made = _made(place, example, inputs, most, result)
        except AstEditError as error:
            result.why, made = f"{error}", {}
    result.seconds = time.perf_counter() - started
    for path, (old, new) in inputs.items():
        got = made.get(path, old)
        if path.startswith("x/"):
            result.got = got
            if code(got, _row(path)) == code(new, _row(path)):
                result.word = "exact"
            elif got != old:
                result.word = "wrong"
        elif got != old:
            result.changed += 1
            result.got += f"\n--- {path}\n{got}"
    return result


def _made(
    place: str,
    example: ExampleFiles,
    inputs: Mapping[str, tuple[str, str]],
    most: int,
    result: Outcome,
) -> dict[str, str]:
    with Workspace(place) as workspace:
        run = Run(inline=True, jobs=1)
        options = {"most": most, "most_rules": _RULES}
        learning = Learning.of(example, workspace, run, **options)
        try:
            while (asked := learning.next()) is not None:
                result.questions += 1
                path = asked.place.path
                is_meant = _agrees(asked, *inputs[path], _row(path))
                learning.answer(asked.id, "yes" if is_meant else "no")
        finally:
            result.why = "; ".join([*learning.others, *learning.fallen])
            result.rules = "---\n".join(text for _, text, _ in learning.texts())
        plan = learning.plan()
        made = {}
        for file in plan.files:
            text = inputs[file.path][0].encode()
            edits = [(edit.start, edit.end, edit.new) for edit in file.edits]
            made[file.path] = splice(text, edits).decode()
        return made


# -- the table -----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints what became of each pair, if asked, and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--only", help="fixers whose names hold this")
    parser.add_argument("--folds", type=int, default=_FOLDS, help="pairs of a fixer left out")
    parser.add_argument("--questions", type=int, default=_QUESTIONS)
    parser.add_argument("--examples", type=int, help="learn of so many at most")
    parser.add_argument("--show", action="store_true", help="print what is not exact")
    options = parser.parse_args(arguments)
    place = os.environ.get("ASTEDIT_FIXERS")
    if not place:
        sys.exit("ASTEDIT_FIXERS names no directory with the checkouts.")
    total: Counter[str] = Counter()
    for fixer in fixers(Path(place), options.kind):
        if options.only and options.only not in fixer.name:
            continue
        count = len(fixer.pairs)
        step = max(count / options.folds, 1.0)
        chosen = sorted({int(at * step) for at in range(min(options.folds, count))})
        row: Counter[str] = Counter()
        for at in chosen:
            outcome = left_out(fixer, at, options.questions, options.examples)
            row.update(_counts(outcome))
            if options.show and (outcome.word != "exact" or outcome.changed):
                _show(fixer, at, outcome)
        print(f"{fixer.name:40} {count:3} pairs  {_line(row)}", flush=True)
        total += row
    print(f"{'all':40} {'':9}  {_line(total)}")


def _counts(outcome: Outcome) -> dict[str, Any]:
    return {
        "pairs": 1, outcome.word: 1, "noops": outcome.noops, "changed": outcome.changed,
        "questions": outcome.questions, "ms": int(outcome.seconds * 1000),
    }  # fmt: skip


def _line(row: Counter[str]) -> str:
    pairs, noops = max(row["pairs"], 1), max(row["noops"], 1)
    parts = [f"{word} {row[word]:3} ({row[word] / pairs:4.0%})" for word in ("exact", "wrong")]
    share = row["changed"] / noops
    parts.append(f"noops changed {row['changed']:4}/{row['noops']:<4} {share:5.1%}")
    parts.append(f"asked {row['questions'] / pairs:.1f}  {row['ms'] / pairs:.0f} ms")
    return "  ".join([f"{row['pairs']:3} left out", *parts])


def _show(fixer: Fixer, at: int, outcome: Outcome) -> None:
    name, before, after = fixer.pairs[at]
    print(f"===== {fixer.name} {at} {name}: {outcome.word}, {outcome.changed} noops changed")
    print(f"{before}\n-- expected\n{after}\n-- got\n{outcome.got}\n-- rules\n{outcome.rules}")
    print(f"-- why: {outcome.why[:2000]}")


if __name__ == "__main__":
    main()
