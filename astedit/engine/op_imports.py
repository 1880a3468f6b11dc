"""What ops ask of imports: compiled for a language, and done in a file. (rule F11)

Imported only by requests that ask for something of imports.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from astedit.engine.name_resolver import provided
from astedit.engine.program import CompiledOp, Program
from astedit.errors import RequestError
from astedit.language import Row
from astedit.rule.imports import Imports, import_changes, joined
from astedit.rule.names import EditedFile
from astedit.text.splice import Change


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
    asking = [op for op in program.ops if op.index in used and op.imports is not None]
    asked = [op.imports for op in asking if op.imports is not None]
    if not asked:
        return [], None
    changes = joined(imports.changes for imports in asked)
    alone = len(asking) == 1 and (not changes.prune or len(used) == 1)
    return asked[0].names.import_edits(file, changes), asking[0].index if alone else None
