"""What ops ask of imports, compiled for a language and done in a file; who answers. (rule F11)

The resolver of names is named by a text, which workers can be sent. Imported only by
requests that ask for something of imports or names.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from astedit.engine.program import CompiledOp, Program
from astedit.errors import RequestError
from astedit.language import Row
from astedit.rule.fixes.fix import Imports, import_changes, joined
from astedit.rule.scope import EditedFile, ImportChanges, Names
from astedit.text.splice import ByteRange, Change


def add_imports(op: CompiledOp, raws: Sequence[Mapping[str, Any]], row: Row, names: str) -> None:
    """Adds what a request or an op asks for to what a rule says itself.

    Raises `RequestError` for what is no import in the language.
    """
    asked = [import_changes(raw) for raw in raws]
    own = op.imports
    resolver = provided(names) if own is None else own.names
    if resolver is None:
        raise RequestError("Nobody changes imports here.")
    changes = joined([*asked, own.changes] if own is not None else asked)
    resolver.check_imports(row.name, changes)
    op.imports = Imports(changes, resolver)


def import_changes_of(
    program: Program, used: Collection[int], file: EditedFile
) -> tuple[list[Change], int | None]:
    """Changes of the text after the edits of the `used` ops, and the op that they belong to.

    That is None where they belong to several. Raises `RequestError` where an import that
    is needed cannot be added.
    """
    asking, changes = _asked(program, used)
    if not asking:
        return [], None
    alone = len(asking) == 1 and (not changes.prune or len(used) == 1)
    return _names(asking).import_edits(file, changes), asking[0].index if alone else None


def hidden_imports(
    program: Program, used: Collection[int], file: EditedFile, changes: Sequence[Change]
) -> dict[int, str]:
    """Why some changes of a text are wrong, by number: what they write means a local name.

    `changes` are the bytes that differ; `file` has the text before and after them.
    """
    asking, asked = _asked(program, used)
    if not asking or not asked.add:
        return {}
    places, shift = [], 0
    for start, end, new in changes:
        places.append((start + shift, start + shift + len(new)))
        shift += len(new) - (end - start)
    return _names(asking).hidden_imports(file, asked, places)


def _asked(program: Program, used: Collection[int]) -> tuple[list[CompiledOp], ImportChanges]:
    """The `used` ops that ask for something of imports, and all that they ask for."""
    asking = [op for op in program.ops if op.index in used and op.imports is not None]
    return asking, joined(op.imports.changes for op in asking if op.imports is not None)


def _names(asking: Sequence[CompiledOp]) -> Names:
    imports = asking[0].imports
    assert imports is not None
    return imports.names


def provided(target: str) -> Names | None:
    """The resolver at `package.module:name`; None for "", which means that nobody resolves."""
    return Provided(target) if target else None


class Provided:
    """The `Names` that what is at `target` makes; imported when a rule first asks.

    Only the text goes to workers: processes share no objects.
    """

    def __init__(self, target: str) -> None:
        self._target = target

    @cached_property
    def _names(self) -> Names:
        module, _, name = self._target.partition(":")
        return cast(Names, getattr(import_module(module), name)())

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of the expression that spans these bytes."""
        return self._names.resolved(source, start, end)

    def check_imports(self, language: str, asked: ImportChanges) -> None:
        """Raises `RequestError` for what is no import in the language."""
        self._names.check_imports(language, asked)

    def import_edits(self, file: EditedFile, asked: ImportChanges) -> list[Change]:
        """Changes of the text that a rewrite made: imports it needs, and needs no more."""
        return self._names.import_edits(file, asked)

    def hidden_imports(
        self, file: EditedFile, asked: ImportChanges, places: Sequence[ByteRange]
    ) -> dict[int, str]:
        """Why some places of a text do not see an import that is to be added, by number."""
        return self._names.hidden_imports(file, asked, places)

    def missing_imports(self, file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
        """The imports that a text needs for these names, as far as they are known."""
        return self._names.missing_imports(file, names)
