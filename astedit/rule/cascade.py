"""The keys by which rules cause rules: checked, parameters put in, bindings put in. (CA1-CA8)

Nothing of it is imported for a rule that has none of these keys.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from astedit.errors import RequestError
from astedit.rule.document import Document
from astedit.rule.failure import wrong

_PARAM = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HOLE = re.compile(r"\$+[A-Z_]")
_CHANGING = re.compile(r"[\"'`\\(){}\[\]\x00-\x1f]|\$+[A-Z_]|\$\$")
_APART = re.compile(r"[,;#\s]|//|/\*")
_WORD = re.compile(r"[^\W\d]\w*\Z")
_META = re.compile(r"([^\w\s])", re.ASCII)
_WHOLE = ("id", "language", "params", "then", "when", "files", "ignores", "metadata")

Content = Mapping[str, Any]


def is_triggered(content: Content) -> bool:
    """Whether it runs only where an event calls it."""
    return content.get("when") == "triggered"


def bound_names(entry: Content) -> dict[str, str]:
    """What `with` of an entry of `then` binds: the called rule's name to the caller's."""
    return {name: value.lstrip("$") for name, value in entry.get("with", {}).items()}


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def names_of(content: Content, *, own: bool) -> set[str]:
    """The metavariables that a rule writes; of its `own` ones those alone that it captures."""
    parts = ["rule", "utils", "constraints"] + ([] if own else ["fix", "edits", "message"])
    found = {
        name.rstrip("_") or name
        for part in parts
        for text in texts_in(content.get(part))
        for name in re.findall(r"\$+([A-Z][A-Z0-9_]*)", text)
    }
    found |= {*content.get("constraints", {}), *content.get("transform", {})}
    if not own:
        written = " ".join(texts_in(content.get("transform")))
        found |= {*re.findall(r"\$+([A-Z][A-Z0-9_]*)", written)}
        found |= {name for entry in content.get("then", ()) for name in bound_names(entry).values()}
    return found


def with_params(documents: Sequence[Document], values: Mapping[str, str]) -> list[Document]:
    """The documents with their parameters put in; raises for one that is wrong or missing.

    Parameters belong to a file: documents of one path.
    """
    declared: dict[str | None, dict[str, Content]] = {}
    for document in documents:
        for name, what in document.content.get("params", {}).items():
            ours = declared.setdefault(document.path, {})
            if name in ours:
                hint = "Declare it once: it is valid in every document of the file."
                problem = f"the parameter {name!r} is declared twice"
                raise wrong(problem, f"params.{name}", document.id, hint, document.path)
            ours[name] = what or {}
    every = {name: what for ours in declared.values() for name, what in ours.items()}
    for name in values:
        if name not in every:
            raise RequestError(
                f"There is no parameter {name!r}.", hint=_listed(every), code="bad_parameter"
            )
    texts = {
        path: {name: _value(name, what, values, every) for name, what in ours.items()}
        for path, ours in declared.items()
    }
    return [_put(document, texts.get(document.path, {})) for document in documents]


def _listed(declared: Mapping[str, Content]) -> str:
    if not declared:
        return "The rules declare no parameters (`params`)."
    return f"Parameters: {'; '.join(_said(name, what) for name, what in declared.items())}."


def _said(name: str, what: Content) -> str:
    more = [f"one of {', '.join(what['enum'])}"] if "enum" in what else []
    more += [f"default {what['default']}"] if "default" in what else ["required"]
    more += [f"matches {what['regex']}"] if "regex" in what else []
    more += [what["description"]] if "description" in what else []
    return f"{name} ({', '.join(more)})"


def _value(
    name: str, what: Content, values: Mapping[str, str], every: Mapping[str, Content]
) -> str:
    value = values.get(name, what.get("default"))
    problem = None
    if value is None:
        problem = f"The parameter {name!r} is missing: give --set {name}=VALUE."
    elif "enum" in what and value not in what["enum"]:
        problem = f"The parameter {name!r} is {value!r}, which is none of its values."
    elif "regex" in what:
        from astedit.rule.regex import compile_regex

        if compile_regex(what["regex"]).search(value.encode()) is None:
            problem = f"The parameter {name!r} is {value!r}, which does not match its regex."
    if problem is not None:
        raise RequestError(problem, hint=_listed(every), code="bad_parameter")
    assert value is not None
    return value


def _put(document: Document, values: Mapping[str, str]) -> Document:
    content = {key: value for key, value in document.content.items() if key != "params"}
    if values:
        for name in names_of(content, own=True) & values.keys():
            hint = "Give the parameter, or the capture, another name."
            problem = f"the parameter {name!r} has the name of a capture"
            raise wrong(problem, "params", document.id, hint, document.path)
        content = {
            key: value if key in _WHOLE else _replaced(value, key, values, document)
            for key, value in content.items()
        }
    return replace(document, content=content)


def _replaced(value: Any, key: str, values: Mapping[str, str], document: Document) -> Any:
    if isinstance(value, Mapping):
        return {name: _replaced(item, name, values, document) for name, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, key, values, document) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value

    def text(name: re.Match[str]) -> str:
        if name[1] not in values:
            return name[0]
        put = values[name[1]]
        if key in ("pattern", "context"):
            quoted = any(value[: name.start()].count(quote) % 2 for quote in "\"'`")
            if _CHANGING.search(put) or (not quoted and (not put or _APART.search(put))):
                setting = f"the parameter {name[1]!r} is {put!r}"
                problem = f"{setting}, which would change how the pattern parses"
                hint = "A value is a literal of the pattern: no quotes, brackets or holes."
                raise wrong(problem, key, document.id, hint, document.path, code="bad_parameter")
        return quoted_regex(put) if key == "regex" else put

    return _PARAM.sub(text, value)


def quoted_regex(text: str) -> str:
    """An expression that matches just this text."""
    return _META.sub(r"\\\1", text).replace("\n", r"\n")


def may_bind(texts: Iterable[str]) -> bool:
    """Whether these texts can be put into a pattern: none spells a hole."""
    return not any(_HOLE.search(text) for text in texts)


def bound(content: Content, texts: Mapping[str, str]) -> dict[str, Any]:
    """A rule whose metavariables of these names match just this code."""
    if not texts:
        return dict(content)
    hole = re.compile(r"\$+(" + "|".join(map(re.escape, texts)) + r")(?![A-Z0-9_])")
    made = {}
    for key, value in content.items():
        if key == "constraints":
            value = {name: rule for name, rule in value.items() if name not in texts}
        made[key] = value if key in _WHOLE else _bound(value, key, texts, hole)
    return made


def _bound(value: Any, key: str, texts: Mapping[str, str], hole: re.Pattern[str]) -> Any:
    if isinstance(value, list):
        return [_bound(item, key, texts, hole) for item in value]
    if isinstance(value, str):
        return hole.sub(lambda found: texts[found[1]], value)
    if not isinstance(value, Mapping):
        return value
    pattern = value.get("pattern")
    whole = hole.fullmatch(pattern) if isinstance(pattern, str) else None
    made = {name: _bound(item, name, texts, hole) for name, item in value.items()}
    if whole is not None and _WORD.match(text := texts[whole[1]]):
        # a name is of another kind in each place: compared as a leaf is, by its text
        del made["pattern"]
        name = {"regex": f"^{quoted_regex(text)}$"}
        if "regex" in made:
            made["all"] = [*made.get("all", []), name]
        else:
            made |= name
    return made
