"""Imports that a rewrite needs and that nobody asked for, in languages that insist on them."""

import re
from collections.abc import Collection

from astedit.engine.program import Program

_BROUGHT = {  # what a template names that must be imported: packages, types
    "go": re.compile(r"(?<![\w.$])([a-z]\w*)\.[A-Z]\w*"),
    "java": re.compile(r"(?<![\w.$])([A-Z]\w*)"),
}


def missing_imports(
    program: Program, used: Collection[int | None], path: str, before: bytes, after: bytes
) -> tuple[str, ...]:
    """The imports of what the templates of the `used` ops name, where the file has none of them.

    Each as in code. A name that the language's standard library does not have is left out in
    Java; in Go its path is left open.
    """
    named = _BROUGHT.get(program.row.name)
    if named is None:
        return ()
    rewrites = [op.rewrite for op in program.ops if op.index in used and op.rewrite is not None]
    brought = {name: None for each in rewrites for name in named.findall(each.template.text)}
    if not brought:
        return ()
    from astedit.engine.name_resolver import provided  # few rewrites need it
    from astedit.rule.names import EditedFile

    names = provided(program.names)
    file = EditedFile(path, program.row.name, before, after)
    return () if names is None else names.missing_imports(file, tuple(brought))
