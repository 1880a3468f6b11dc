"""The module that definitions go to: a file of the workspace, or the name of a module."""

import posixpath

from astedit.semantic.inference.module_paths import ModulePaths
from astedit.semantic.move.module_code import refused


def destination(written: str, source: str, modules: ModulePaths) -> str:
    """The path that a person means by `shop/prices.py`, `shop/` or `shop.prices`.

    Raises `PreconditionError` for what cannot be a module of Python.
    """
    if "/" not in written and not written.endswith(".py"):
        return _named(written, source, modules)
    path = posixpath.normpath(written)
    if not path.endswith(".py"):
        package = modules.at(path, ["__init__"])
        if package is None:
            raise refused(path, "is no Python module", "no_module", "Name a `.py` file.")
        return package
    if not posixpath.basename(path)[:-3].isidentifier():
        raise refused(path, "cannot be imported by its name", "no_module")
    return path


def _named(dotted: str, source: str, modules: ModulePaths) -> str:
    known = modules.find(source, 0, dotted)
    if known is not None and known.endswith(".py"):
        return known
    package, _, last = dotted.rpartition(".")
    above = modules.find(source, 0, package) if package else None
    if above is None or not above.endswith("/__init__.py") or not last.isidentifier():
        hint = "Give the path of the file, such as `shop/prices.py`."
        raise refused(dotted, "is no module of this workspace", "no_module", hint)
    return f"{posixpath.dirname(above)}/{last}.py"
