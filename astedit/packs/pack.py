"""The files of a pack to its rules, utilities and tests; what is wrong is named, not raised."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from astedit.errors import LimitError, RequestError
from astedit.json_model import ANYTHING, OBJECT, TEXT, TEXTS, Schema, checked, object_of
from astedit.packs.source import Files, PackUse, bad_pack, check_name, inside, parse_use
from astedit.rule.cascade import with_params
from astedit.rule.document import Document, read_rules, read_utilities
from astedit.rule.failure import TurnedOff, some_of
from astedit.rule.yaml import read_yaml
from astedit.version import __version__

MANIFEST = "astedit-pack.yml"
MAX_RULES = 5_000
_RULES: Schema = {"type": "array", "items": OBJECT}
_LIST: Schema = {"type": "array", "items": ANYTHING}
_MANIFEST = object_of(
    {
        **dict.fromkeys(("name", "version", "requires"), ANYTHING),
        **dict.fromkeys(("rules", "utils", "tests"), TEXTS),
        "packs": _LIST,
        "preconditions": _RULES,
        **dict.fromkeys(("params", "recipes"), OBJECT),
    }
)
_STEPS_LIST = _LIST | {"minItems": 1}
_RECIPE = object_of({"language": TEXT, "preconditions": _RULES, "steps": _STEPS_LIST}, "steps")
_STEPS = ("rule", "pack", "codemod")
_REQUIRES = re.compile(r"\s*(>=|==|<)\s*([0-9]+(?:\.[0-9]+){0,2})\s*")
_PROJECTS = ("sgconfig.yml", "sgconfig.yaml")


class Recipe(NamedTuple):
    """Steps to be run in order: command lines, or what a rule, pack or codemod is called.

    It is run where a file of the language matches all preconditions.
    """

    steps: list[str | dict[str, Any]]
    language: str = ""
    preconditions: tuple[dict[str, Any], ...] = ()


@dataclass(slots=True)
class Pack:
    """What is in a pack. Ids of rules and utilities begin with its name.

    `left_out` names each rule that is not there, and why; `warnings` say what has no effect.
    `tests` are directories or files, `needs` the packs elsewhere that it names.
    """

    name: str
    version: str = ""
    rules: list[Document] = field(default_factory=list)
    utils: list[Document] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    recipes: dict[str, Recipe] = field(default_factory=dict)
    needs: list[PackUse] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_pack(files: Files, use: PackUse, mark: dict[str, Any]) -> Pack:
    """Reads a pack; `mark` is put into `metadata.astedit` of each of its rules.

    Raises `RequestError` for a bad manifest, and `LimitError` for too many rules.
    """
    pack = _read(files, use.text, use.default_name, use.name)
    ids = [rule.id.partition("/")[2] for rule in pack.rules]
    for name in use.severity.keys() - {"", *ids}:
        raise bad_pack(f"{use.text}: no rule {name!r} to set", some_of(ids, name))
    mark = mark | {"pack": pack.name}
    for at, rule in enumerate(pack.rules):
        metadata = rule.content.get("metadata", {})
        ours = metadata.get("astedit")
        ours = mark if not isinstance(ours, dict) else {**ours, **mark}
        content = {**rule.content, "metadata": {**metadata, "astedit": ours}}
        severity = use.severity.get(ids[at], use.severity.get("", rule.severity))
        pack.rules[at] = replace(rule, content=content).of_severity(severity)
    if use.params:  # as --set would have them: YAML reads `true` and `1` as no texts
        texts = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in use.params.items()
        }
        pack.rules = with_params(pack.rules, texts)
    return pack


def _read(files: Files, where: str, default_name: str, chosen: str | None = None) -> Pack:
    manifest = _manifest(files, where)
    name = chosen or manifest.get("name", default_name)
    check_name(name, where)
    pack = Pack(name, str(manifest.get("version", "")))
    off = TurnedOff(None, unknown=pack.warnings)
    rule_files, util_files, pack.tests = _places(files, manifest, where)
    utils = [one for path in util_files for one in _documents(read_utilities, files, path, off)]
    seen: dict[str, str] = {}
    for path in rule_files:
        params = manifest.get("params", {})  # declared once in a file, and so by its first rule
        for rule in _documents(read_rules, files, path, off):
            if twin := seen.get(rule.id):
                pack.left_out.append(f"{path}: rule {rule.id!r} is in {twin} too")
                continue
            seen[rule.id] = path
            pack.rules.append(_added(rule, params, manifest.get("preconditions", [])))
            params = {}
        if len(pack.rules) > MAX_RULES:
            problem = f"The pack {where} has more than {MAX_RULES:,} rules."
            raise LimitError(problem, code="pack_too_large")
    pack.left_out += [f"{error.path}: {error.message}" for error in off.wrong]
    pack.rules, pack.utils = _qualified(name, pack.rules, utils)
    sources: dict[str, str] = {}
    for entry in manifest.get("packs", ()):
        use = parse_use(entry, f"{where}, packs")
        if use.kind == "directory":
            _nest(pack, files, use, where, sources)
        else:  # it lies elsewhere
            pack.needs.append(use)
    for title, raw in manifest.get("recipes", {}).items():
        pack.recipes[title] = _recipe(raw, f"{where}: {MANIFEST}, recipes.{title}")
    return pack


def _documents(
    read: Callable[..., list[Document]], files: Files, path: str, off: TurnedOff
) -> list[Document]:
    try:
        return read(files[path], path, off)
    except RequestError as error:  # no YAML
        error.path = path
        off.leave_out(error)
        return []


def _added(rule: Document, params: Mapping[str, Any], conditions: list[Any]) -> Document:
    """The rule with what the manifest says of it."""
    content = dict(rule.content)
    if params:
        content["params"] = {**params, **content.get("params", {})}
    if conditions:
        content["preconditions"] = [*conditions, *content.get("preconditions", ())]
    return replace(rule, content=content)


def _recipe(raw: Any, where: str) -> Recipe:
    """A list of steps, or an object that says more of them."""
    fields = {"steps": raw} if isinstance(raw, list) else raw
    fields = checked(fields, _RECIPE, partial(_bad, where))
    steps = fields["steps"]
    for at, step in enumerate(steps):
        names = [*step.items()] if isinstance(step, dict) else [("", step)]
        key, value = names[0] if len(names) == 1 else ("", None)
        if key not in ("", *_STEPS) or not (isinstance(value, str) or _is_texts(value)):
            hint = "A step is a command line, or one of: rule, pack, codemod. Such as {rule: ID}."
            raise bad_pack(f"{where}.steps[{at}] is no step", hint)
    conditions, language = fields.get("preconditions", []), fields.get("language", "")
    if conditions and not language:
        raise bad_pack(f"{where}: preconditions need a language", None)
    return Recipe(steps, language, tuple(conditions))


def refuse_twin(sources: dict[str, str], name: str, source: str) -> None:
    """Notes the source of a pack of this name; `RequestError` (`two_packs`) if there is another."""
    if (twin := sources.setdefault(name, source)) != source:
        hint = "Leave one out, or give it a name of its own: {use: …, name: other}."
        raise bad_pack(f"{twin} and {source} are both called {name}", hint, "two_packs")


def _nest(pack: Pack, files: Files, use: PackUse, where: str, sources: dict[str, str]) -> None:
    """Adds a pack that lies inside this one. `sources` are of those before it, by name."""
    below = inside(use.place, where) + "/"
    inner_files = {
        path.removeprefix(below): text for path, text in files.items() if path.startswith(below)
    }
    if not inner_files:
        raise bad_pack(f"{where}, packs: there is no {use.text} in the pack", None)
    inner = read_pack(inner_files, replace(use, text=f"{where}/{below}"), {})
    refuse_twin(sources, inner.name, f"{where}/{below}")
    rules, utils = _qualified(pack.name, inner.rules, inner.utils)
    pack.rules += rules
    pack.utils += utils
    pack.tests += [below + path for path in inner.tests]
    pack.recipes |= inner.recipes
    pack.needs += inner.needs
    pack.warnings += inner.warnings
    pack.left_out += inner.left_out


def _manifest(files: Files, where: str) -> dict[str, Any]:
    if MANIFEST not in files:
        return {}
    documents = read_yaml(files[MANIFEST], f"{where}/{MANIFEST}")
    document = documents[0] if len(documents) == 1 else documents
    manifest: dict[str, Any] = checked(document, _MANIFEST, partial(_bad, f"{where}: {MANIFEST}"))
    if requires := manifest.get("requires"):
        _check_requires(str(requires), where)
    return manifest


def _bad(where: str, why: str, hint: str) -> RequestError:
    return bad_pack(f"{where}: {why}", hint)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _check_requires(text: str, where: str) -> None:
    """`>=0.1,<2` of astedit itself."""
    own = _version(__version__)
    for part in text.split(","):
        match = _REQUIRES.fullmatch(part)
        if match is None:
            raise bad_pack(f"{where}: requires: {text!r} is no range of versions", "Such as >=0.1.")
        other = _version(match[2])
        if not {">=": own >= other, "==": own == other, "<": own < other}[match[1]]:
            problem = f"{where} requires astedit {text}, and this is {__version__}"
            raise bad_pack(problem, None, "pack_requires")


def _version(text: str) -> list[int]:
    return [*map(int, re.findall(r"[0-9]+", text)), 0, 0, 0][:3]


def _places(
    files: Files, manifest: dict[str, Any], where: str
) -> tuple[list[str], list[str], list[str]]:
    """The files of rules, those of utilities, and where tests are."""
    tests = [inside(path, where) for path in manifest.get("tests", ())]
    config = next((path for path in _PROJECTS if path in files), None)
    if "rules" in manifest:
        utils = _below(files, manifest.get("utils", []), where)
        return _below(files, manifest["rules"], where), utils, tests
    if config is None:
        return [path for path in files if path != MANIFEST and _has_rules(files[path])], [], tests
    documents = read_yaml(files[config], f"{where}/{config}")
    settings = documents[0] if documents and isinstance(documents[0], dict) else {}
    named = [
        one.get("testDir") for one in settings.get("testConfigs") or () if isinstance(one, dict)
    ]
    tests = [inside(path, where) for path in named if isinstance(path, str)]
    rules, utils = (_below(files, settings.get(key), where) for key in ("ruleDirs", "utilDirs"))
    return rules, utils, tests


def _below(files: Files, places: Any, where: str) -> list[str]:
    if not _is_texts(places):
        return []
    found: dict[str, None] = {}
    for path in (inside(place, where) for place in places):
        chosen = [one for one in files if not path or one == path or one.startswith(path + "/")]
        found |= dict.fromkeys(one for one in chosen if one != MANIFEST)
    return list(found)


def _has_rules(text: bytes) -> bool:
    try:
        documents = read_yaml(text)
    except RequestError:
        return b"rule:" in text  # it is named as one that was left out
    return any(isinstance(one, dict) and "rule" in one for one in documents)


def _qualified(
    name: str, rules: list[Document], utils: list[Document]
) -> tuple[list[Document], list[Document]]:
    """Rules and utilities with the pack's name before their ids, also where they are called."""
    utilities = {one.id: f"{name}/{one.id}" for one in utils}
    called = {one.id: f"{name}/{one.id}" for one in rules}

    def qualified(document: Document) -> Document:
        local = document.content.get("utils")
        own = {*document.arguments, *(local if isinstance(local, dict) else ())}
        names = {id: full for id, full in utilities.items() if id not in own}
        content = {
            key: part
            if key == "metadata"
            else _renamed(part, {"matches": names, "use": called}, key)
            for key, part in document.content.items()
        }
        id, path = f"{name}/{document.id}", f"{name}: {document.path}"
        return replace(document, id=id, content={**content, "id": id}, path=path)

    return [qualified(rule) for rule in rules], [qualified(one) for one in utils]


def _renamed(value: Any, names: Mapping[str, Mapping[str, str]], key: str) -> Any:
    """A part of a rule with other names where it calls: in `matches`, and `use` of `then`."""
    new = names.get(key, {})
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, names, key) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        new.get(inner, inner): _renamed(part, names, "" if key == "matches" else inner)
        for inner, part in value.items()
    }
