"""What is said of a name that is no language's."""

from astedit.errors import RequestError
from astedit.language.table import rows
from astedit.text.alike import meant


def unknown_language(name: str) -> RequestError:
    """The error: what was meant, if a name is spelled much like it, and where the names are."""
    hint = language_hint(name)
    return RequestError(f"Unknown language {name!r}.", hint=hint, code="unknown_language")


def language_hint(name: object) -> str:
    """What may have been meant by a language that there is not."""
    names = [known for row in rows() for known in (row.name, *row.aliases)]
    return f"{meant(names, name)}`astedit languages` lists the names and aliases."
