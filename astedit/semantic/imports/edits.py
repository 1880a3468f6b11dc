"""The changes of a file's imports that go with edits of it. (rule F11)

They touch nothing but import statements of the top level.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import cast

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import load, named
from astedit.rule.names import EditedFile, ImportChanges
from astedit.semantic.imports.lines import merged
from astedit.semantic.imports.statement import Import, Syntax
from astedit.text.splice import Change, compose, splice

_SYNTAX = {  # the module of this package that knows how a language writes imports
    "python": "python",
}


@cache
def _syntax(language: str) -> Syntax:
    if language not in _SYNTAX:
        raise RequestError(
            f"Imports are not changed in {language}.",
            hint=f"They are in {', '.join(_SYNTAX)}: name one with --lang.",
            code="no_imports",
        )
    module = import_module(f"astedit.semantic.imports.{_SYNTAX[language]}")
    return cast(Syntax, module.syntax(language))


_BARE = re.compile(r"[^\W\d]\w*")  # a name that is bound, instead of an import


def check_imports(language: str, asked: ImportChanges) -> None:
    """Raises `RequestError` for what is no import in the language."""
    syntax = _syntax(language)
    for text in asked.add:
        syntax.parse(text)
    for text in asked.remove:
        if not _BARE.fullmatch(text):
            syntax.parse(text)


def import_edits(file: EditedFile, asked: ImportChanges, lenient: bool = False) -> list[Change]:
    """Changes of the text after the edits, sorted, that add and remove imports.

    What is there already is not added again, and what nothing uses only where it binds no
    name, or with `lenient`. Raises `RequestError` for a malformed import, and where one
    cannot be added: it would not fit the file, or its name means something else there.
    """
    syntax, source = _syntax(file.language), file.after
    root = _root(file.language, source)
    wanted = [syntax.parse(text) for text in dict.fromkeys(asked.add)]
    adding = _adding(syntax, wanted, root, file, lenient)
    coming = syntax.added(adding, root, source) if adding else []
    first = merged(coming)
    text = splice(source, first)
    doomed = _doomed(syntax, wanted, root, file, asked)
    if not doomed:
        return first
    second = merged(syntax.removed(doomed, _root(file.language, text), text))
    return [change for change, _, _ in compose(source, first, second)] if first else second


def missing_imports(file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
    """What imports the names that the edits brought and that nothing in the file binds."""
    module = import_module(f"astedit.semantic.imports.{_SYNTAX[file.language]}")
    root = _root(file.language, file.after)
    return tuple(module.missing(names, root, _syntax(file.language).uses(root)))


def _root(language: str, source: bytes) -> Node:
    row = named(language)
    assert row is not None
    return load(row).parser().parse(source).root_node


def _present(syntax: Syntax, root: Node) -> set[Import]:
    return {each for statement in syntax.statements(root) for each, _ in statement.imports}


def _adding(
    syntax: Syntax, wanted: Sequence[Import], root: Node, file: EditedFile, lenient: bool
) -> list[Import]:
    """The imports that must come; raises `RequestError` where one of them cannot."""
    if not wanted:
        return []
    uses, present = syntax.uses(root), _present(syntax, root)
    adding = [
        each
        for each in wanted
        if not syntax.satisfied(each, root, present)
        and (lenient or not each.bound or uses.hold(each.bound))
    ]
    if adding and (refusal := syntax.refusal(root, file.path)) is not None:
        raise RequestError(f"{adding[0]} cannot be added: {refusal}", code="imports")
    for each in adding:
        if each.bound and syntax.clashes(each, root, present):
            raise RequestError(
                f"{each} cannot be added: {each.bound} means something else in this file.",
                code="imports",
            )
    return adding


def _doomed(
    syntax: Syntax, wanted: Sequence[Import], root: Node, file: EditedFile, asked: ImportChanges
) -> set[Import]:
    """The imports that go: those asked for that nothing uses, and those the edits spared."""
    uses, present = syntax.uses(root), _present(syntax, root)
    bare = {text for text in asked.remove if _BARE.fullmatch(text)}
    meant = {each for each in present if each.bound in bare}
    meant |= {syntax.parse(text) for text in asked.remove if text not in bare}
    served = {each.bound for each in wanted}  # by what is wanted instead
    doomed = {each for each in meant if each.bound in served or not uses.hold(each.bound)}
    if asked.prune:
        earlier = _root(file.language, file.before)
        used = syntax.uses(earlier).code
        doomed |= {
            each
            for each in present & _present(syntax, earlier)
            if each.bound in used
            and not uses.hold(each.bound)
            and syntax.prunable(each, root, file.path)
        }
    return doomed - set(wanted)
