"""TOML that somebody else may have written: within limits, and with a place in every error."""

from typing import Any

from astedit.errors import RequestError

SIZE = 1_048_576  # bytes
_DOTS = 200  # in one line; tomllib takes quadratic time over the parts of a dotted key


def parse(data: bytes, path: str) -> dict[str, Any]:
    """The document; raises `RequestError` naming `path` for one that is broken or a bomb."""
    if len(data) > SIZE:
        raise _bad(path, f"is larger than {SIZE} bytes")
    if max(line.count(b".") for line in data.split(b"\n")) > _DOTS:
        raise _bad(path, f"has a line with more than {_DOTS} dots")
    import tomllib  # 14 ms, for those who have a configuration

    try:
        return tomllib.loads(data.decode())
    except ValueError as error:
        raise _bad(path, f"is not TOML: {error}") from error
    except RecursionError as error:
        raise _bad(path, "is nested too deeply") from error


def _bad(path: str, why: str) -> RequestError:
    return RequestError(f"{path} {why}.", path=path, code="bad_config")
