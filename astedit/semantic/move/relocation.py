"""Files that go to other places, and what that makes of the modules of a workspace."""

from collections.abc import Mapping, Sequence

from astedit.semantic.inference.module_paths import ModulePaths


class Relocation:
    """The modules `before` and `after` the files of `moves` (new paths by old ones) have gone."""

    def __init__(
        self, files: Sequence[str], moves: Mapping[str, str], roots: Sequence[str]
    ) -> None:
        self.moves = moves
        self.before = ModulePaths(files, roots)
        self.after = ModulePaths([moves.get(path, path) for path in files], roots)

    def there(self, module: str) -> str:
        """Where a module (or `directory/`) is afterwards."""
        if not module.endswith("/"):
            return self.moves.get(module, module)
        inside = [path for path in self.moves if path.startswith(module)]
        if not inside or any(path.startswith(module) for path in self.moves.values()):
            return module
        old = inside[0]
        tail = old[len(module) :]
        new = self.moves[old]
        return new[: len(new) - len(tail)] if new.endswith(f"/{tail}") else module
