"""Of which language a file is: as a project says, else by its name."""

from collections.abc import Callable, Iterable

from astedit.engine.languages import documents, language_of, named_languages
from astedit.language import Row, for_path, named
from astedit.model.plan import FilePlan
from astedit.model.request import EditRequest
from astedit.workspace.gitignore import Globs


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


def grammars_of(request: EditRequest, files: Iterable[FilePlan]) -> frozenset[str]:
    """The names of the languages whose grammars decided about these files.

    Only the request and the paths count, so that it can be told of a stored plan too.
    """
    language = languages_of(request)
    endings = tuple(f".{suffix}" for suffix in documents(request))
    found: set[str] = set()
    for path in (file.path for file in files):
        row = language(path)
        if row is None and request.lang:
            row = language_of(request.lang)
        found |= {row.name} if row is not None else set()
        found |= named_languages(request) if path.endswith(endings) else set()
    return frozenset(found)
