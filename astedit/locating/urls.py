"""Paths of URLs: route templates in their normal form, and what a client's URL says."""

import re
from dataclasses import dataclass

# `<int:id>`, `<id>`, `{id:\\d+}`, `{id?}`, `:id`, `:id(\\d+)`; a path keeps being one.
_FLASK = re.compile(r"<(?:([A-Za-z_]\w*)(?:\([^()]*\))?:)?([A-Za-z_]\w*)>")
_BRACED = re.compile(r"\{\*?([A-Za-z_]\w*)(?::((?:[^{}]|\{[^{}]*\})*))?\}")
_COLON = re.compile(r"(?<=/):([A-Za-z_]\w*)(\([^()]*\))?\??")
_URL = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#]*)(?::[^/?#]*)?(.*)", re.S
)
_HOLE = re.compile(r"\A\{([^{}]*)\}(.*)\Z", re.S)


def normal(template: str) -> str:
    """The template with each parameter as `{name}`, or `{name:path}` where it spans slashes."""
    text = _FLASK.sub(lambda m: _braced(m[2], m[1] == "path"), template)
    text = _BRACED.sub(lambda m: _braced(m[1], m[2] == "path"), text)
    return _COLON.sub(lambda m: _braced(m[1], False), text)


def _braced(name: str, path: bool) -> str:
    return f"{{{name}:path}}" if path else f"{{{name}}}"


def parameters(template: str) -> list[str]:
    """The names of a template's parameters, in order."""
    return re.findall(r"\{([A-Za-z_]\w*)", normal(template))


def loose(template: str) -> str:
    """What two templates share that differ in parameter names, case or a last slash only."""
    return re.sub(r"\{[^{}]*\}", "{}", normal(template)).rstrip("/").lower()


def joined(*parts: str) -> str:
    """Prefixes and a local path as one; a slash between two parts is there once."""
    whole = ""
    for part in filter(None, parts):
        if whole.endswith("/") and part.startswith("/"):
            part = part[1:]
        elif whole and not whole.endswith("/") and not part.startswith("/"):
            part = f"/{part}"
        whole += part
    return whole if whole.startswith("/") else f"/{whole}"


@dataclass(frozen=True, slots=True)
class Address:
    """What a client's URL says: whom it asks (`unresolved` if only a variable's name is
    known), and for what."""

    target: str | None
    unresolved: bool
    path: str


def address(url: str, base: str | None = None) -> Address:
    """Reads a URL whose holes are `{expr}`; `base` is that of the client, if it has one."""
    if whole := _URL.match(url):
        host = whole[1]
        name = _variable(host) if host.startswith("{") else host or None
        return Address(name, host.startswith("{"), path_of(whole[2]))
    if base and not url.startswith("{"):
        first = address(base)
        path = url if first.path == "/" and url.startswith("/") else joined(first.path, url)
        return Address(first.target, first.unresolved, path_of(path))
    if hole := _HOLE.match(url):
        return Address(_variable(hole[1]), True, path_of(hole[2]))
    return Address(None, False, path_of(url))


def path_of(text: str) -> str:
    """The path of what follows a host: no query, no fragment, a slash at its head."""
    path = re.split(r"[?#]", text, maxsplit=1)[0]
    return path if path.startswith("/") else f"/{path}"


def _variable(expression: str) -> str | None:
    """`settings.SMARTCARE_URL` and `env["SMARTCARE_URL"]` are called SMARTCARE_URL."""
    words = re.findall(r"[A-Za-z_$][\w$]*", expression)
    return str(words[-1]) if words else None


def begins(path: str, prefix: str) -> bool:
    """Whether `prefix` is whole segments from the start of `path`."""
    head = prefix.rstrip("/")
    return path == prefix or path.rstrip("/") == head or path.startswith(f"{head}/")
