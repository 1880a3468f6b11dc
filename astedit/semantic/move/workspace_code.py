"""The modules of a workspace as code, each read once."""

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.library import Library
from astedit.semantic.move.module_code import ModuleCode, refused
from astedit.text.splice import Change


class WorkspaceCode:
    """Reads modules through a library. `modules` know the files, `created` among them."""

    def __init__(self, library: Library, run: Run, created: str | None = None) -> None:
        self.library = library
        new = [created] if created is not None else []
        self.modules = ModulePaths([*library.files, *new], run.roots)
        self._known: dict[str, ModuleCode | None] = {}
        if created is not None:
            self._known[created] = ModuleCode(created, b"")

    def code(self, path: str) -> ModuleCode | None:
        """A module; None if it cannot be read."""
        if path not in self._known:
            text = None if path.endswith("/") else self.library.text(path)
            try:
                self._known[path] = None if text is None else ModuleCode(path, text.code)
            except PreconditionError:
                self._known[path] = None
        return self._known[path]

    def needed(self, path: str) -> ModuleCode:
        """A module; raises `PreconditionError` with the reason if it cannot be read."""
        module = self.code(path)
        if module is not None:
            return module
        text = self.library.text(path)
        if text is None:
            raise refused(path, "cannot be read", "unreadable")
        return ModuleCode(path, text.code)

    def bytes(self, path: str) -> bytes | None:
        """The text of a module; None if it has none."""
        if path in self._known:
            module = self._known[path]
            return None if module is None else module.code
        text = None if path.endswith("/") else self.library.text(path)
        return None if text is None else text.code

    def marked(self, path: str, changes: list[Change]) -> list[Change]:
        """The changes of a file whose text begins with a mark that the code does not have."""
        text = self.library.text(path)
        shift = text.mark if text is not None else 0
        return [(start + shift, end + shift, new) for start, end, new in changes]
