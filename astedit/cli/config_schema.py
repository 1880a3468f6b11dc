"""JSON schemas of the files that configure: for editors, which complete and check them."""

from typing import Any

from astedit.workspace.config import KEYS, POLICIES

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}
_KINDS: dict[str, dict[str, Any]] = {
    "policy": {"enum": list(POLICIES)},
    "list": _TEXTS,
    "paths": _TEXTS,
    "directory": _TEXT,
    "text": _TEXT,
    "count": {"type": "integer", "minimum": 1},
}


def config_schema() -> dict[str, Any]:
    """`astedit.toml`, and `[tool.astedit]` of `pyproject.toml`."""
    known = {key: _KINDS[kind] for key, (kind, repository) in KEYS.items() if repository}
    return _object("astedit.toml", known, additional=False)


def project_schema() -> dict[str, Any]:
    """`sgconfig.yml`; ast-grep overlooks keys it does not know, and so do we."""
    tests = _object(None, {"testDir": _TEXT, "snapshotDir": _TEXT}, required=["testDir"])
    injection = _object(
        None,
        {
            "hostLanguage": _TEXT,
            "rule": {"type": "object"},
            "injected": {"anyOf": [_TEXT, _TEXTS]},
        },
        required=["hostLanguage", "rule", "injected"],
    )
    known = {
        "ruleDirs": _TEXTS,
        "utilDirs": _TEXTS,
        "testConfigs": {"type": "array", "items": tests},
        "languageGlobs": {"type": "object", "additionalProperties": _TEXTS},
        "languageInjections": {"type": "array", "items": injection},
        "customLanguages": {"type": "object", "description": "Not loaded."},
    }
    return _object("sgconfig.yml", known, required=["ruleDirs"])


def _object(
    title: str | None,
    properties: dict[str, Any],
    *,
    required: list[str] | None = None,
    additional: bool = True,
) -> dict[str, Any]:
    head = {} if title is None else {"$schema": _DRAFT, "title": title}
    made = {**head, "type": "object", "properties": properties, "additionalProperties": additional}
    return made if required is None else {**made, "required": required}
