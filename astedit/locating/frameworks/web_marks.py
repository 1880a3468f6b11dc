"""The prefilter of routes and clients: texts without which a file has none."""

import re

FAMILY = {"typescript": "javascript", "tsx": "javascript"}
# Texts of which one is in every file that registers routes, or calls a client. They are
# looked for one by one: that is ten times faster than one pattern of them all.
_ROUTES = {
    "python": (b"flask", b"quart", b"fastapi", b"starlette", b"APIRouter", b"Blueprint",
               b"Flask", b"FastAPI", b"urlpatterns", b"include_router", b"register_blueprint"),
    "javascript": (b"express", b"koa", b"Koa", b"Router"),
    "java": (b"Mapping",),
}  # fmt: skip
_CLIENTS = {
    "python": (b"requests", b"httpx", b"aiohttp", b"urlopen", b"urllib", b"TestClient",
               b"test_client"),
    "javascript": (b"fetch", b"axios", b"got"),
    "java": (b"FeignClient", b"RestTemplate", b"WebClient", b"RestClient"),
}  # fmt: skip
# What is looked at where a mark is also a part of other words, or a word of prose.
_WORD = {
    mark: re.compile(rb"(?<![A-Za-z])" + mark + rb"(?![a-z])")
    for mark in (b"quart", b"express", b"koa", b"fetch", b"got")
}
_REQUEST = re.compile(rb"\bRequest\b")
_USED = re.compile(
    rb"[\s\\]*\.[\s\\]*"
    rb"(?:get|post|put|delete|patch|head|options|request|stream|[Ss]ession|api)\b"
)
_IMPORT = re.compile(rb"\bimport\b")


def is_known(language: str) -> bool:
    """Whether routes or clients are looked for in this language at all."""
    return FAMILY.get(language, language) in _ROUTES


def may_say(language: str, raw: bytes) -> bool:
    """False only if the file says nothing about routes or clients."""
    return _any(_ROUTES, language, raw) or may_call(language, raw)


def may_call(language: str, raw: bytes) -> bool:
    """False only if the file calls no client."""
    return _any(_CLIENTS, language, raw)


def _any(marks: dict[str, tuple[bytes, ...]], language: str, raw: bytes) -> bool:
    family = FAMILY.get(language, language)
    found = (mark for mark in marks.get(family, ()) if mark in raw)
    return any(_is_meant(mark, raw) for mark in found)


def _is_meant(mark: bytes, raw: bytes) -> bool:
    """Whether a mark that a file holds can be the library, as far as a glance tells."""
    if mark in _WORD:
        return _WORD[mark].search(raw) is not None
    if mark == b"urllib":  # only `urlopen` and `Request` of it ask anybody
        return _REQUEST.search(raw) is not None
    return mark != b"requests" or _names_requests(raw)


def _names_requests(raw: bytes) -> bool:
    """Whether `requests` is imported, or something of it is used: else it is a plural."""
    at = raw.find(b"requests")
    while at >= 0:
        end = at + len(b"requests")
        if _USED.match(raw, end) or _IMPORT.search(_statement(raw, at, end)):
            return True
        at = raw.find(b"requests", end)
    return False


def _statement(raw: bytes, at: int, end: int) -> bytes:
    """The line around a place, joined with those before and behind that `\\` continues."""
    start = raw.rfind(b"\n", 0, at)
    while start > 0 and raw[start - 2 : start].endswith((b"\\", b"\\\r")):
        start = raw.rfind(b"\n", 0, start)
    stop = raw.find(b"\n", end)
    while stop > 0 and raw[stop - 2 : stop].endswith((b"\\", b"\\\r")):
        stop = raw.find(b"\n", stop + 1)
    return raw[start + 1 : stop if stop >= 0 else len(raw)]
