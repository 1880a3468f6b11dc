"""An error as data: it crosses processes, and it is kept."""

from typing import Any


def error_data(error: Exception) -> dict[str, Any]:
    """`{code, message, hint, path}` of one of our errors or the gate's."""
    return {
        "code": getattr(error, "code", "internal"),
        "message": str(error),
        "hint": getattr(error, "hint", None),
        "path": getattr(error, "path", None),
    }
