"""A request from the fields a caller gave. Imports little: it comes before git is started."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from astedit.errors import RequestError
from astedit.json_model import camel, fitting, snake
from astedit.model.request import EditRequest, Op
from astedit.text.source import canonical
from astedit.workspace.gitignore import matches_nothing

if TYPE_CHECKING:
    from astedit.rule import Document


_CAUSING = frozenset({"params", "then"})
_LISTS = {"paths", "glob", "no_ignore", "add_import", "remove_import"}
_OURS = {  # what a request has that commands of ours have filled in
    "operation": ("An `operation` is", "Use rename, set-path or codemod."),
    "regions": ("`regions` are", "Name the place with `within`."),
    "kept": ("`kept` is", "Choose with `only`."),
    "own_edits": ("`own_edits` are", "A person writes them in a review."),
    "format_with": ("`format_with` is", "Use prove --format-with."),
}


def request_of(fields: Mapping[str, Any], *, rules: object = None) -> EditRequest:
    """A request from its fields; `RequestError` for what no tree could make right.

    `rules` is YAML text, a document, or a list of documents of the rule language, which may
    be checked ones.
    """
    listed = _LISTS & fields.keys()  # a text alone stands for a list of one, None for none
    values = {**fields}
    values |= {name: fitting(fields[name] or [], str | Iterable[str], name) for name in listed}
    ops = values.pop("ops", None)
    documents = values.pop("rules", None) if rules is None else rules
    values["params"] = fitting(values.get("params") or {}, dict[str, str], "params")
    if documents:
        values["rules"] = _documents(documents, values["params"])
        ops = [] if ops is None else ops
    if values.get("utils"):
        from astedit.rule.document import utility_document

        values["utils"] = [dict(utility_document(utility).content) for utility in values["utils"]]
    for name, (reason, hint) in _OURS.items():
        if values.get(name) not in (None, "", [], ()):
            code = "unsupported" if name == "operation" else None
            raise RequestError(f"{reason} not for a request to bring.", hint=hint, code=code)
    if values.get("body_only") and values.get("within") is None:
        raise RequestError("`body_only` needs `within`.")
    if ops is None or isinstance(ops, str | bytes | Mapping):
        raise RequestError("`ops` is a list of {pat, out}.", code="no_ops")
    request = EditRequest(ops=[_op(op) for op in ops], **values)
    for injection in request.injections:
        _check_injection(injection)
    for glob in request.glob:
        if matches_nothing(glob):
            raise RequestError(
                f"The glob {glob!r} can match no file.",
                hint=r"Close its bracket, or write \[ for a bracket in a name.",
                code="bad_glob",
            )
    for name in ("fixpoint", "max_file_size"):
        if getattr(request, name) < 1:
            raise RequestError(f"`{name}` must be at least 1.")
    if values["params"] and not documents:
        raise RequestError("`params` are for rules, and there are none.", code="bad_parameter")
    for name in ("max_files", "max_replacements", "max_events"):
        if (value := getattr(request, name)) is not None and value < 0:
            raise RequestError(f"`{name}` must not be negative.")
    _encoding(request.encoding)
    for asked in (request.imports, *(op.imports for op in request.ops)):
        if asked:
            from astedit.rule.fixes.fix import import_changes

            import_changes(asked)
    return request


def _check_injection(raw: Mapping[str, Any]) -> None:
    """A request may come from a document that somebody else wrote."""
    from astedit.language import named

    injected = raw.get("injected")
    names = [raw.get("hostLanguage"), *(injected if isinstance(injected, list) else [injected])]
    known = all(isinstance(name, str) and named(name) is not None for name in names)
    if not known or not isinstance(raw.get("rule"), dict):
        raise RequestError(
            "An injection needs a hostLanguage, a rule, and languages that are injected.",
            hint="As the `languageInjections` of an sgconfig.yml.",
        )


def rule_request(
    rules: "Sequence[Document]", utilities: "Sequence[Document]" = (), **fields: Any
) -> EditRequest:
    """The request that runs these rules, in this order."""
    utils = [dict(document.content) for document in utilities]
    return request_of({"ops": [], "rules": rules, "utils": utils, **fields})


def search_op(rule: object) -> Op:
    """The op that finds what a rule finds: YAML text, a document, or a rule object."""
    from astedit.rule.document import SEARCH_KEYS, op_document, rule_document
    from astedit.rule.yaml import read_yaml

    if isinstance(rule, str | bytes):
        documents = [document for document in read_yaml(_encoded(rule)) if document is not None]
        if len(documents) != 1:
            raise RequestError(f"One rule is expected here, not {len(documents)}.", code="bad_rule")
        rule = documents[0]
    if isinstance(rule, Mapping) and "rule" in rule:  # what only reports is left aside
        rule_document({"language": "js", "id": "rule", **rule})
        rule = {key: value for key, value in rule.items() if key in SEARCH_KEYS}
    op_document(rule, SEARCH_KEYS)
    return Op(rule=dict(rule))  # type: ignore[call-overload]


def _documents(rules: object, params: Mapping[str, str]) -> list[dict[str, Any]]:
    """Checked documents, as plain data; raises `RuleError`."""
    from astedit.rule import Document, read_rules
    from astedit.rule.document import rule_document

    if isinstance(rules, str | bytes):
        documents = read_rules(_encoded(rules))
    elif isinstance(rules, Mapping):
        documents = [rule_document(dict(rules))]
    elif isinstance(rules, Sequence):
        documents = [one if isinstance(one, Document) else rule_document(one) for one in rules]
    else:
        raise RequestError("`rules` is YAML text, a document, or a list of documents.")
    if not documents:
        raise RequestError("There is no rule in `rules`.", code="no_ops")
    return contents_of(documents, params)


def contents_of(documents: "Sequence[Document]", params: Mapping[str, str]) -> list[dict[str, Any]]:
    """Rules as plain data: their parameters put in, and every rule that they call.

    Raises `RequestError` where that is wrong.
    """
    if params or any(not _CAUSING.isdisjoint(document.content) for document in documents):
        from astedit.engine.cascade.graph import expanded  # few rules cause others

        return expanded(documents, params)
    return [dict(document.content) for document in documents]


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def _op(op: Op | Mapping[str, Any]) -> Op:
    hints = Op.__annotations__
    if isinstance(op, Op):
        for name, hint in hints.items():
            fitting(getattr(op, name), hint, camel(name))
        return op
    if not isinstance(op, Mapping):
        raise RequestError(f"An op is an object with pat and out, not {op!r}.")
    names = [field.name for field in fields(Op)]
    values = {snake(str(key)): value for key, value in op.items()}
    if unknown := [key for key in op if snake(str(key)) not in names]:
        known = ", ".join(map(camel, names))
        raise RequestError(f"Unknown key {unknown[0]!r} in an op.", hint=f"Known: {known}.")
    if ("pat" in values) == (values.get("rule") is not None):
        raise RequestError("An op needs a 'pat' or a 'rule'.")
    if values.get("rule") is not None:
        from astedit.rule.document import op_document

        op_document(values["rule"])
    return Op(**{name: fitting(value, hints[name], camel(name)) for name, value in values.items()})


def _encoding(name: str | None) -> None:
    if name is not None and canonical(name) is None:
        raise RequestError(
            f"Files in {name!r} cannot be edited byte-exactly.",
            hint="Known encodings: utf-8, latin-1, cp1252, utf-16.",
            code="unknown_encoding",
        )
