"""Who answers what rules and edits ask about names: the `Names` that `rule/` defines."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from astedit.rule.scope import EditedFile, ImportChanges
from astedit.semantic.imports.edits import (
    check_imports,
    hidden_imports,
    import_edits,
    missing_imports,
)
from astedit.text.splice import ByteRange, Change

if TYPE_CHECKING:
    from astedit.python.scopes import Scopes

_MARK = b"\xef\xbb\xbf"


class FileNames:
    """The `Names` of the files of a run."""

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
        if (
            scopes is None
            or node is None
            or not is_name
            or (node.start_byte, node.end_byte) != span
        ):
            return frozenset()
        return scopes.qualified(node)

    def check_imports(self, language: str, request: ImportChanges) -> None:
        """Raises `RequestError` for what is no import in the language."""
        check_imports(language, request)

    def import_edits(self, file: EditedFile, request: ImportChanges) -> list[Change]:
        """The edits that add and remove imports; see `imports.edits`."""
        return import_edits(file, request)

    def hidden_imports(
        self, file: EditedFile, request: ImportChanges, places: Sequence[ByteRange]
    ) -> dict[int, str]:
        """Why some places do not see an import that is to be added; see `imports.edits`."""
        return hidden_imports(file, request, places)

    def missing_imports(self, file: EditedFile, names: Sequence[str]) -> tuple[str, ...]:
        """The imports that a text needs for these names, as far as they are known."""
        return missing_imports(file, names)


@lru_cache(maxsize=2)
def _scopes(code: bytes) -> "Scopes | None":
    from astedit.python.scopes import Scopes  # which few runs need
    from astedit.python.syntax import parsed

    root = parsed(code)
    try:
        return None if root.has_error else Scopes(root)
    except RecursionError:
        return None
