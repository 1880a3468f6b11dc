"""The languages of a request and of its files, and the documents that may hold code. (rule G5)"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from astedit.language import grammar_of
from astedit.language.table import Row, for_path, named, rows, unknown_language
from astedit.model.edit import FilePlan, LanguageUse
from astedit.model.request import EditRequest
from astedit.workspace.gitignore import Globs


def wanted(request: EditRequest) -> list[Row]:
    """The languages a request may touch: those it names, else all but markup (G5)."""
    chosen = named_languages(request)
    anywhere = any(name is None for name in _given(request))
    return [row for row in rows() if row.name in chosen or (anywhere and not row.markup)]


def named_languages(request: EditRequest) -> frozenset[str]:
    """The names of the languages a request names, one way or another."""
    chosen = _given(request)
    lists = ([names] if isinstance(names, str) else names or () for names in chosen)
    return frozenset(language_of(name).name for names in lists for name in names)


def documents(request: EditRequest) -> tuple[str, ...]:
    """The suffixes of files in which embedded code is looked at (D1).

    That is done for languages that are named: who names none does not mean the examples in
    a README. Nor is it where the request is about located parts of files.
    """
    if request.regions:
        return ()
    chosen = named_languages(request)
    if not (chosen or request.injections):
        return ()
    from astedit.embedded.hosts import suffixes

    hosts = [raw["hostLanguage"] for raw in request.injections if _injects(raw, chosen)]
    return (*suffixes(chosen), *(end for host in hosts for end in language_of(host).suffixes))


def _injects(raw: Mapping[str, Any], languages: frozenset[str]) -> bool:
    injected = raw["injected"]
    names = [injected] if isinstance(injected, str) else injected
    return any(language_of(name).name in languages for name in names)


def _given(request: EditRequest) -> list[Any]:
    """For every op and rule its language or languages; None where it names none."""
    rules = [*((op.lang, op.rule or {}) for op in request.ops), *((None, r) for r in request.rules)]
    return [lang or request.lang or rule.get("language") for lang, rule in rules]


def use_of(name: str) -> LanguageUse:
    """The language known by this name, with the grammar that reads it."""
    grammar = grammar_of(name)
    return LanguageUse(name, grammar.distribution, grammar.version)


def language_of(name: str) -> Row:
    """The row of a language named by a user; `RequestError` says where the names are."""
    if (row := named(name)) is None:
        raise unknown_language(name)
    return row


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
        return next((row for row, globs in globs if globs.verdict(path)), None) or for_path(path)

    return language


def hosts_of(request: EditRequest) -> Callable[[str], bool]:
    """Tells whether a file may hold code of other languages that the request is about.

    A file that languageGlobs call HTML is looked at as one that ends in `.html`.
    """
    known = documents(request)
    endings = tuple(f".{suffix}" for suffix in known)
    if not request.language_globs or not known:
        return lambda path: path.endswith(endings)
    language = languages_of(request)

    def hosts(path: str) -> bool:
        row = language(path)
        return path.endswith(endings) or (row is not None and row.suffixes[0] in known)

    return hosts


def grammars_of(request: EditRequest, files: Iterable[FilePlan]) -> frozenset[str]:
    """The names of the languages whose grammars decided about these files.

    Only the request and the paths count, so that a stored plan can be asked as well.
    """
    language = languages_of(request)
    hosts = hosts_of(request)
    grammars: set[str] = set()
    for path in (file.path for file in files):
        if (row := language(path)) is None and request.lang:
            row = language_of(request.lang)
        grammars |= {row.name} if row is not None else set()
        grammars |= named_languages(request) if hosts(path) else set()
    return frozenset(grammars)
