"""Which files hold code of other languages, and that code. Imports little: it comes early."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from astedit.embedded.part import Part

_PAGES = ("html", "htm", "xhtml", "vue", "svelte")
_COMPONENTS = ("vue", "svelte")
_OF_PAGES = frozenset({"javascript", "typescript", "tsx", "css"})
_TEXTS = ("md", "markdown", "ipynb")


def suffixes(languages: Collection[str]) -> tuple[str, ...]:
    """The suffixes of files that may hold code in one of these languages (by name)."""
    if not languages:
        return ()
    return (*_PAGES, *_TEXTS) if _OF_PAGES & frozenset(languages) else _TEXTS


def parts_of(
    path: str, raw: bytes, languages: Collection[str], own: Collection[str] = ()
) -> "Iterator[Part]":
    """The code in such a file that is in one of these languages, in order.

    `own` are the suffixes of the language that the file itself is in, whatever its name.
    """
    from astedit.embedded import html, markdown, notebook

    known = (*_PAGES, *_TEXTS)
    suffix = next((one for one in (path.rpartition(".")[2], *own) if one in known), None)
    if suffix is None:
        return
    if suffix in _PAGES:
        parts = html.parts(raw, components=suffix in _COMPONENTS)
    else:
        parts = (notebook if suffix == "ipynb" else markdown).parts(raw)
    yield from (part for part in parts if part.row.name in languages)
