"""Of which language a file is: as a project says, else by its name."""

from collections.abc import Callable

from astedit.gitignore import Globs
from astedit.language import Row, for_path, named
from astedit.model import EditRequest


def languages_of(request: EditRequest) -> Callable[[str], Row | None]:
    """Tells the language of a path (relative to the root) for one request."""
    globs = [
        (row, Globs(each))
        for name, each in request.language_globs.items()
        if (row := named(name)) is not None
    ]
    if not globs:
        return for_path

    def language(path: str) -> Row | None:
        found = next((row for row, globs in globs if globs.verdict(path)), None)
        return found or for_path(path)

    return language
