"""The changes of a file's imports that go with edits of it. (rule F11)

They touch nothing but import statements of the top level.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import root_of
from astedit.rule.scope import EditedFile, ImportChanges
from astedit.semantic.imports.lines import indented, merged
from astedit.semantic.imports.statement import Import, Syntax
from astedit.text.source import ByteRange, Change, compose, splice

if TYPE_CHECKING:
    from astedit.python.scopes import Scopes

_SYNTAX = {  # the module of this package, and the class, that knows how a language writes imports
    "python": "python.Python",
    "javascript": "javascript.JavaScript",
    "typescript": "javascript.JavaScript",
    "tsx": "javascript.JavaScript",
    "go": "go.Go",
    "java": "java.Java",
}


@cache
def _syntax(language: str) -> Syntax[Import]:
    if language not in _SYNTAX:
        raise RequestError(
            f"Imports are not changed in {language}.",
            hint=f"They are in {', '.join(_SYNTAX)}: name one with --lang.",
            code="no_imports",
        )
    module, _, name = _SYNTAX[language].partition(".")
    syntax: Syntax[Import]
    syntax = getattr(import_module(f"astedit.semantic.imports.{module}"), name)(language)
    return syntax


_BARE = re.compile(r"[^\W\d]\w*")  # a name that is bound, instead of an import


def check_imports(language: str, request: ImportChanges) -> None:
    """Raises `RequestError` for what is no import in the language."""
    syntax = _syntax(language)
    for text in request.add:
        syntax.parse(text)
    for text in request.remove:
        if not _BARE.fullmatch(text):
            syntax.parse(text)


def import_edits(file: EditedFile, request: ImportChanges, lenient: bool = False) -> list[Change]:
    """Changes of the text after the edits, sorted, that add and remove imports.

    What is there already is not added again, and what nothing uses only where it binds no
    name, or with `lenient`. Raises `RequestError` for a malformed import, and where one
    cannot be added: it would not fit the file, or its name means something else there.
    """
    syntax, source = _syntax(file.language), file.after
    root = root_of(file.language, source)
    candidates = [syntax.parse(text) for text in dict.fromkeys(request.add)]
    needed = _needed(syntax, candidates, root, lenient)
    leaving = _meant(syntax, needed, root, request)
    adding = _adding(syntax, needed, leaving, root, file)
    first = merged(indented(syntax.added(adding, root, source), root, source) if adding else [])
    text = splice(source, first)
    if request.prune:
        earlier = syntax.present(root_of(file.language, file.before))
        leaving |= _idle(syntax, root, file) & earlier
    doomed = leaving - set(needed)
    if not doomed:
        return first
    second = merged(syntax.removed(doomed, root_of(file.language, text), text))
    return [change for change, _, _ in compose(source, first, second)] if first else second


def without_idle_imports(
    file: EditedFile, changes: Sequence[Change], is_taken: Callable[[str], bool] = lambda _: False
) -> list[Change]:
    """The changes that make of a file what it is after them, and of its imports what goes then.

    That is what nothing in it uses any more, unless another file takes it from this one.
    """
    syntax, root = _syntax(file.language), root_of(file.language, file.after)
    idle = {item for item in _idle(syntax, root, file) if not is_taken(item.bound)}
    more = merged(syntax.removed(idle, root, file.after))
    return [change for change, _, _ in compose(file.before, changes, more)]


def hidden_imports(
    file: EditedFile, request: ImportChanges, places: Sequence[ByteRange]
) -> dict[int, str]:
    """The imports to add that a place would not see, as a local name hides them, by its number.

    The places are of the text after the edits. An import without a name is never hidden.
    """
    syntax, root = _syntax(file.language), root_of(file.language, file.after)
    hidden: dict[int, str] = {}
    for new in map(syntax.parse, request.add):
        if new.bound:
            numbers = syntax.hidden(new, root, places)
            hidden |= dict.fromkeys(numbers, f"{new} is hidden by a local {new.bound}.")
    return hidden


def missing_imports(file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
    """What imports the names that the edits brought and that nothing in the file binds."""
    syntax, root = _syntax(file.language), root_of(file.language, file.after)
    return tuple(syntax.missing(names, root))


def _needed(
    syntax: Syntax[Import], candidates: Sequence[Import], root: Node, lenient: bool
) -> list[Import]:
    """The imports whose names the file uses, and those that bind none."""
    if lenient or not candidates:
        return list(candidates)
    uses = syntax.uses(root)
    return [new for new in candidates if not new.bound or uses.hold(new.bound)]


def _adding(
    syntax: Syntax[Import],
    needed: Sequence[Import],
    leaving: set[Import],
    root: Node,
    file: EditedFile,
) -> list[Import]:
    """The imports that must come; raises `RequestError` where one of them cannot."""
    present = syntax.present(root)
    adding = [new for new in needed if not syntax.satisfied(new, root, present)]
    refusal = "a script of a page has none." if file.is_script else syntax.refusal(root, file.path)
    if adding and refusal is not None:
        raise RequestError(f"{adding[0]} cannot be added: {refusal}", code="imports")
    bound = present - leaving
    for new in adding:
        if new.bound and syntax.clashes(new, root, bound):
            raise RequestError(
                f"{new} cannot be added: {new.bound} means something else in the file.",
                code="imports",
            )
        bound = bound | {new}
    return adding


def _meant(
    syntax: Syntax[Import], needed: Sequence[Import], root: Node, request: ImportChanges
) -> set[Import]:
    """The imports that are to go, less those whose names the file still needs from them."""
    if not request.remove:
        return set()
    uses, present = syntax.uses(root), syntax.present(root)
    bare = {text for text in request.remove if _BARE.fullmatch(text)}
    meant = {old for old in present if old.bound in bare}
    meant |= {syntax.parse(text) for text in request.remove if text not in bare}
    served = {new.bound for new in needed}  # by another import from now on
    return {old for old in meant if old.bound in served or not uses.hold(old.bound)} - set(needed)


def _idle(syntax: Syntax[Import], root: Node, file: EditedFile) -> set[Import]:
    """The imports whose last use the edits took away."""
    used, uses = syntax.uses(root_of(file.language, file.before)).code, syntax.uses(root)
    return {
        item
        for item in syntax.present(root)
        if item.bound in used and not uses.hold(item.bound)
        if syntax.prunable(item, file.path)
    }


_MARK = b"\xef\xbb\xbf"


class FileNames:
    """The `Names` of the files of a run, which `rule/` defines."""

    check_imports = staticmethod(check_imports)
    import_edits = staticmethod(import_edits)
    hidden_imports = staticmethod(hidden_imports)
    missing_imports = staticmethod(missing_imports)

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the name or attribute that spans these bytes (UTF-8).

        Imported ones (`requests.get`), built-in ones (`builtins.print`), and those the module
        defines itself (`Client.get`). Empty for anything else, and for what cannot be read.
        """
        mark = len(_MARK) if source.startswith(_MARK) else 0
        scopes = _scopes(source[mark:])
        span = (start - mark, end - mark)
        node = None if scopes is None else scopes.root.named_descendant_for_byte_range(*span)
        is_name = node is not None and node.type in ("identifier", "attribute")
        if scopes is None or node is None or not is_name or node.byte_range != span:
            return frozenset()
        return scopes.qualified(node)


@lru_cache(maxsize=2)
def _scopes(code: bytes) -> "Scopes | None":
    from astedit.python.scopes import Scopes  # which few runs need
    from astedit.python.syntax import parsed

    root = parsed(code)
    try:
        return None if root.has_error else Scopes(root)
    except RecursionError:
        return None
