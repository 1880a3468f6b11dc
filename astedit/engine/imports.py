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
from astedit.text.source import Change


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
    return cast(Names, Provided(target)) if target else None


class Provided:
    """Stands for the `Names` that what is at `target` makes; imported when a rule first asks.

    Only the text goes to workers: processes share no objects.
    """

    def __init__(self, target: str) -> None:
        self._target = target

    @cached_property
    def _names(self) -> Names:
        module, _, name = self._target.partition(":")
        return cast(Names, getattr(import_module(module), name)())

    def __getattr__(self, name: str) -> Any:
        """What `Names` has: a method is asked for each time it is called."""
        return getattr(self._names, name)
