"""Which files hold code of other languages, and that code."""

from collections.abc import Callable, Collection, Iterator

from astedit.embedded import html, markdown, notebook
from astedit.embedded.part import Part

_HOSTS: dict[str, Callable[[bytes], Iterator[Part]]] = {
    **dict.fromkeys(("html", "htm", "xhtml", "vue", "svelte"), html.parts),
    **dict.fromkeys(("md", "markdown"), markdown.parts),
    "ipynb": notebook.parts,
}
SUFFIXES = tuple(_HOSTS)
_ENDINGS = tuple(f".{suffix}" for suffix in _HOSTS)


def hosts(path: str) -> bool:
    """Whether a file of this name may hold code of other languages."""
    return path.endswith(_ENDINGS)


def parts_of(path: str, raw: bytes, languages: Collection[str]) -> Iterator[Part]:
    """The code in a file that is in one of these languages (by name), in order."""
    find = _HOSTS[path.rpartition(".")[2]]
    yield from (part for part in find(raw) if part.row.name in languages)
