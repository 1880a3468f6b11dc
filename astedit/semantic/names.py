"""Who answers what rules and edits ask about names: the `Names` that `rule/` defines."""

from collections.abc import Sequence

from astedit.rule.scope import EditedFile, ImportChanges
from astedit.semantic.imports.edits import (
    check_imports,
    hidden_imports,
    import_edits,
    missing_imports,
)
from astedit.text.splice import ByteRange, Change


class FileNames:
    """The `Names` of the files of a run."""

    def resolved(self, source: bytes, start: int, end: int) -> frozenset[str]:
        """The qualified names of what spans these bytes; see `python.module_paths`."""
        from astedit.python.scopes import resolved  # which few runs need

        return resolved(source, start, end)

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
