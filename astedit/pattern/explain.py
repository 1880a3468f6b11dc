"""How a pattern is read: its tree, warnings and suggestions in each language."""

from collections.abc import Sequence
from dataclasses import dataclass

from astedit.language import Grammar, GrammarUnavailable, Row, load
from astedit.model import Explanation, LanguageUse
from astedit.pattern.doctor import Diagnosis, diagnose
from astedit.pattern.find import Finder
from astedit.pattern.near import near_misses
from astedit.pattern.outline import outline_goal, outline_line

NEAR = 3  # near misses shown of the file that is compared


@dataclass(frozen=True, slots=True)
class Place:
    """A file to compare a pattern with; `line` is 1-based, None for the whole file."""

    path: str
    source: bytes
    line: int | None = None


def explain(
    text: str,
    rows: Sequence[Row],
    *,
    selector: str | None = None,
    context: str | None = None,
    strictness: str = "smart",
    place: Place | None = None,
) -> Explanation:
    """How a pattern is read in each language, what is odd about it, what to write instead.

    With a place, also the file's own tree at that line, or near misses in that file.
    """
    shown = Explanation(text, [], "")
    trees: dict[str, list[str]] = {}
    for row in rows:
        try:
            grammar = load(row)
        except GrammarUnavailable as error:
            shown.languages.append(LanguageUse(row.name, row.distribution, "", error.reason))
            continue
        found = diagnose(
            text, row, grammar, selector=selector, context=context, strictness=strictness
        )
        dropped = found.refused.message if found.refused is not None else None
        shown.languages.append(
            LanguageUse(row.name, grammar.distribution, grammar.version, dropped)
        )
        _add(shown, found, trees)
        if place is not None:
            trees.setdefault(_of_place(found, grammar, place), []).append(place.path)
    shown.tree = "\n\n".join(f"{', '.join(labels)}:\n{tree}" for tree, labels in trees.items())
    return shown


def _add(shown: Explanation, found: Diagnosis, trees: dict[str, list[str]]) -> None:
    shown.warnings.extend(w for w in found.warnings if w not in shown.warnings)
    shown.suggestions.extend(found.suggestions)
    if found.pattern is None:
        return
    trees.setdefault(outline_goal(found.pattern.goal), []).append(found.row.label)
    for hole in found.pattern.captures.values():
        if hole.spelling not in shown.captures:
            shown.captures.append(hole.spelling)


def _of_place(found: Diagnosis, grammar: Grammar, place: Place) -> str:
    root = grammar.parser().parse(place.source).root_node
    if place.line is not None:
        return outline_line(root, place.line)
    if found.pattern is None:
        return "(the pattern does not compile)"
    matches = Finder(found.pattern).find(root, place.source)
    lines = [f"{len(matches)} matches"]
    if not matches:
        misses = near_misses([found.pattern], place.path, place.source, root)
        lines += [str(miss) for _, miss in zip(range(NEAR), misses, strict=False)]
    return "\n".join(lines)
