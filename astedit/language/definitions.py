"""What a grammar calls a definition, and how the definitions of a language are named."""

from typing import NamedTuple

_LEADING = frozenset({"decorator", "attribute_item"})


class Naming(NamedTuple):
    """How definitions are found and named in one language.

    `query` captures them. `@class` and `@function` open a scope and have a `@name`. So does
    `@scope`, which is no definition itself (a namespace, an `impl`). `@prefix` holds the
    package or namespace of a whole file. `@variable` is a binding; its targets are `@name`
    or, in a list, `@targets`. `@attribute` is an attribute of `@self`. `@body` is what
    remains of a region with `body_only`. `@global` holds names that a Python function binds
    outside itself.

    `by_path`: the module's path is part of the full name, as no declaration says it.
    `wrappers` are parents that belong to a definition's region. `leading` are the siblings
    before it that do (decorators, attributes). `constructor` is what one is called.
    """

    query: str
    by_path: bool = False
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = _LEADING
    constructor: str = "<init>"
