"""How a pattern is read: its tree, warnings and suggestions in each language."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Unpack

from tree_sitter import Node

from astedit.engine.languages import language_of
from astedit.errors import RequestError
from astedit.explanation.diagnose import Diagnosis, diagnose
from astedit.explanation.difference import clip, nearest
from astedit.language import Grammar, GrammarUnavailable, Row, for_path, load, rows
from astedit.limits import MAX_FILE_SIZE
from astedit.model.edit import LanguageUse
from astedit.model.explanation import Explanation
from astedit.pattern.compile import Goal, PatternOptions, Tag
from astedit.pattern.find import Finder
from astedit.pattern.listed import outermost

NEAR = 3  # near misses shown of the file that is compared
OUTLINE = 120  # of one outline; the rest is counted, not shown


@dataclass(frozen=True, slots=True)
class ExplainedFile:
    """A file to compare a pattern with; `line` is 1-based, None for the whole file."""

    path: str
    source: bytes
    line: int | None = None


def explain(
    pat: str, file: str | None = None, *, lang: str | None = None, **options: Unpack[PatternOptions]
) -> Explanation:
    """How a pattern is read, what is doubtful about it, and what to write instead.

    The language is `lang`, else that of `file`, else all but data and markup languages.
    `file` is a path or `path:line`, from the working directory: the file's own tree at
    that line, or its near misses, are shown beside the pattern's. It is parsed in this
    process. Raises `RequestError` for an unknown language and a file that cannot be read.
    """
    place = _place(file) if file is not None else None
    return explain_in(pat, _rows(lang, place), place=place, **options)


def _place(file: str) -> ExplainedFile:
    path, _, line = file.rpartition(":")
    number = int(line) if path and line.isdecimal() and not os.path.exists(file) else None
    if number is None:
        path = file
    try:
        with open(path, "rb") as stream:
            source = stream.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise RequestError(f"Cannot read {path}: {error.strerror}.", path=path) from error
    if len(source) > MAX_FILE_SIZE:
        raise RequestError(f"{path} is larger than {MAX_FILE_SIZE} bytes.", path=path)
    return ExplainedFile(path, source, number)


def _rows(lang: str | None, place: ExplainedFile | None) -> Sequence[Row]:
    if lang is None and place is None:
        return [row for row in rows() if not row.markup]
    if lang is not None:
        return [language_of(lang)]
    path = place.path if place else ""
    if (row := for_path(path)) is None:
        hint = "`astedit languages` lists the names and aliases; --lang names one."
        raise RequestError(f"{path}: unknown language.", hint=hint, code="unknown_language")
    return [row]


def explain_in(
    text: str,
    among: Sequence[Row],
    *,
    place: ExplainedFile | None = None,
    **options: Unpack[PatternOptions],
) -> Explanation:
    """The same for given languages and a file already read.

    Of several languages, only those that make sense of the pattern are shown in full, if
    there are any; the others are `dropped`, each with its reason.
    """
    shown = Explanation(text, [], "")
    found: list[tuple[Diagnosis, Grammar]] = []
    for row in among:
        try:
            grammar = load(row)
        except GrammarUnavailable as error:
            shown.languages.append(LanguageUse(row.name, row.distribution, "", error.reason))
            continue
        one = diagnose(text, row, grammar, **options)
        use = LanguageUse(row.name, grammar.distribution, grammar.version, _reason(one))
        shown.languages.append(use)
        found.append((one, grammar))
    healthy = [pair for pair in found if pair[0].healthy]
    _fill(shown, healthy if len(found) > 1 and healthy else found, place)
    return shown


def _reason(diagnosis: Diagnosis) -> str | None:
    if diagnosis.refused is not None:
        return diagnosis.refused.message
    return None if diagnosis.healthy or not diagnosis.warnings else diagnosis.warnings[0].message


def _fill(
    shown: Explanation, diagnoses: Sequence[tuple[Diagnosis, Grammar]], place: ExplainedFile | None
) -> None:
    trees: dict[str, list[str]] = {}
    for diagnosis, grammar in diagnoses:
        shown.warnings.extend(w for w in diagnosis.warnings if w not in shown.warnings)
        shown.suggestions.extend(
            diagnosis.suggestions if len(diagnoses) == 1 else diagnosis.suggestions[:1]
        )
        if diagnosis.pattern is not None:
            outline = _bounded(_goal_lines(diagnosis.pattern.goal, 0))  # one goal a line
            trees.setdefault(outline, []).append(diagnosis.row.label)
            holes = [hole.spelling for hole in diagnosis.pattern.captures.values()]
            shown.captures.extend(hole for hole in holes if hole not in shown.captures)
        if place is not None:
            name = place.path if place.line is None else f"{place.path}:{place.line}"
            trees.setdefault(_of_place(diagnosis, grammar, place), []).append(name)
    shown.tree = "\n\n".join(f"{', '.join(labels)}:\n{tree}" for tree, labels in trees.items())


def _of_place(diagnosis: Diagnosis, grammar: Grammar, place: ExplainedFile) -> str:
    root = grammar.parser().parse(place.source).root_node
    if place.line is not None:  # the largest nodes that start there, with all that is in them
        row = place.line - 1
        nodes = outermost(
            root,
            lambda node: node.start_point[0] == row and node.parent is not None and node.is_named,
            lambda node: node.start_point[0] <= row <= node.end_point[0],
        )
        return _bounded(chain.from_iterable(map(_node_lines, nodes)))
    if diagnosis.pattern is None:
        return "(the pattern does not compile)"
    matches = Finder(diagnosis.pattern).find(root, place.source)
    lines = [f"{len(matches)} matches"]
    if not matches:
        misses = nearest(diagnosis.pattern, place.path, place.source, root)
        lines += map(str, islice(misses, NEAR))
    return "\n".join(lines)


def _goal_lines(goal: Goal, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if goal.hole is not None:
        yield f"{indent}{goal.hole.spelling}  ({_meaning(goal)})"
    elif goal.tag == Tag.TERMINAL:
        yield indent + (f"{goal.kind_name} " if goal.named else "") + f'"{clip(goal.text)}"'
    else:
        yield indent + goal.kind_name
    for child in goal.children:
        yield from _goal_lines(child, depth + 1)


def _meaning(goal: Goal) -> str:
    assert goal.hole is not None
    if goal.hole.many:
        return "any number of nodes"
    return "one named node" if goal.hole.named_only else "one node"


def _node_lines(top: Node) -> Iterator[str]:
    stack: list[tuple[Node, int, str]] = [(top, 0, "")]
    while stack:
        node, depth, name = stack.pop()
        text = "" if node.child_count else f'"{clip(node.text or b"")}"'
        kind = f"{node.type} " if node.is_named or node.is_missing else ""
        missing = "MISSING " if node.is_missing else ""
        yield ("  " * depth + (f"{name}: " if name else "") + missing + kind + text).rstrip()
        for index in reversed(range(node.child_count)):
            child = node.child(index)
            if child is not None:
                stack.append((child, depth + 1, node.field_name_for_child(index) or ""))


def _bounded(lines: Iterator[str]) -> str:
    shown = [*islice(lines, OUTLINE)]
    rest = sum(1 for _ in lines)
    return "\n".join([*shown, f"… {rest} more lines"] if rest else shown)
