"""A request from the fields a caller gave. Imports little: it comes before git is started."""

from collections.abc import Mapping, Sequence
from typing import Any

from astedit.errors import RequestError
from astedit.model import EditRequest, Op
from astedit.source import canonical


def request_of(fields: Mapping[str, Any], *, rules: object = None) -> EditRequest:
    """A request from its fields; `RequestError` for what no tree could make right."""
    values = dict(fields)
    ops = values.pop("ops")
    if rules is not None:
        raise RequestError("YAML rules are not supported yet.", code="unsupported")
    if values.get("operation") is not None:
        raise RequestError(
            "An `operation` is not for a request to bring.",
            hint="Use rename, set-path or codemod.",
            code="unsupported",
        )
    if values.get("within") is not None or values.get("body_only"):
        raise RequestError("`within` is not supported yet.", code="unsupported")
    if ops is None or isinstance(ops, str | bytes | Mapping):
        raise RequestError("`ops` is a list of {pat, out}.", code="no_ops")
    request = EditRequest(ops=[_op(op) for op in ops], **values)
    for name in ("fixpoint", "max_file_size"):
        if getattr(request, name) < 1:
            raise RequestError(f"`{name}` must be at least 1.")
    for name in ("max_files", "max_replacements"):
        value = getattr(request, name)
        if value is not None and value < 0:
            raise RequestError(f"`{name}` must not be negative.")
    _choice("overlap", request.overlap, ("compose", "error"))
    _choice("reindent", request.reindent, ("auto", "exact"))
    _encoding(request.encoding)
    return request


def _op(op: Op | Mapping[str, Any]) -> Op:
    if isinstance(op, Op):
        return op
    if not isinstance(op, Mapping):
        raise RequestError(f"An op is an object with pat and out, not {op!r}.")
    if "rule" in op:
        raise RequestError("Rule ops are not supported yet.", code="unsupported")
    names = {**{camel_of: name for name, camel_of in _OP_KEYS.items()}, **{n: n for n in _OP_KEYS}}
    unknown = [key for key in op if key not in names]
    if unknown:
        raise RequestError(
            f"Unknown key {unknown[0]!r} in an op.", hint=f"Known: {', '.join(_OP_KEYS.values())}."
        )
    if "pat" not in op:
        raise RequestError("An op needs a 'pat'.")
    values = {names[key]: value for key, value in op.items()}
    for name, value in values.items():
        kind = bool if name.startswith("allow_") else str
        if value is not None and not isinstance(value, kind):
            raise RequestError(f"{name!r} of an op must be a {kind.__name__}, not {value!r}.")
    return Op(**values)


_OP_KEYS = {
    "pat": "pat",
    "out": "out",
    "lang": "lang",
    "selector": "selector",
    "context": "context",
    "strictness": "strictness",
    "allow_loss": "allowLoss",
    "allow_error_pattern": "allowErrorPattern",
}


def _choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise RequestError(f"Unknown {name} {value!r}.", hint=f"One of: {', '.join(known)}.")


def _encoding(name: str | None) -> None:
    if name is not None and canonical(name) is None:
        raise RequestError(
            f"Files in {name!r} cannot be edited byte-exactly.",
            hint="Known encodings: utf-8, latin-1, cp1252, utf-16.",
            code="unknown_encoding",
        )
