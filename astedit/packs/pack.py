"""The files of a pack to its rules, utilities and tests; what is wrong is named, not raised."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from astedit.errors import LimitError, RequestError
from astedit.json_model import ANYTHING, OBJECT, TEXT, TEXTS, Schema, checked, object_of
from astedit.packs.source import Files, PackUse, bad_in, bad_pack, check_name, inside, parse_use
from astedit.rule.cascade import with_params
from astedit.rule.document import Document, read_rules, read_utilities
from astedit.rule.failure import TurnedOff, some_of
from astedit.rule.yaml import read_yaml
from astedit.version import __version__
from astedit.workspace.root import PROJECT_FILES

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


class Recipe(NamedTuple):
    """Steps to be run in order: command lines, or what rules, packs or a codemod are called.

    It is run where a file of the language matches all preconditions; `place` is where it was
    read.
    """

    place: str
    steps: list[str | dict[str, list[str]]]
    language: str = ""
    preconditions: Sequence[dict[str, Any]] = ()

    def of_inner_pack(self, name: str) -> "Recipe":
        """The recipe of a pack of this name, as one of the pack around it."""
        steps = [
            {"rule": [f"{name}/{id}" for id in step["rule"]]}
            if isinstance(step, dict) and "rule" in step
            else step
            for step in self.steps
        ]
        return self._replace(steps=steps)


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
    contents = _contents(files, manifest, where)
    pack.tests = [inside(path, where) for path in contents.get("tests", ())]
    rule_files = [path for path in files if path != MANIFEST and _has_rules(files[path])]
    if "rules" in contents:
        rule_files = _below(files, contents["rules"], where)
    util_files = _below(files, contents.get("utils"), where)
    utils = [one for path in util_files for one in read_utilities(files[path], path, off)]
    seen: dict[str, str] = {}
    for path in rule_files:
        params = manifest.get("params", {})  # declared once in a file, and so by its first rule
        for rule in read_rules(files[path], path, off):
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
        _add_recipe(pack, title, _recipe(raw, f"{where}: {MANIFEST}, recipes.{title}"))
    return pack


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
    fields = checked(fields, _RECIPE, partial(bad_in, where))
    steps = [_step(step, f"{where}.steps[{at}]") for at, step in enumerate(fields["steps"])]
    recipe = Recipe(where, **fields | {"steps": steps})
    if recipe.preconditions and not recipe.language:
        raise bad_pack(f"{where}: preconditions need a language", None)
    return recipe


def _step(raw: Any, where: str) -> str | dict[str, list[str]]:
    if isinstance(raw, str):
        return raw
    items = [*raw.items()] if isinstance(raw, dict) else []
    key, value = items[0] if len(items) == 1 else ("", None)
    names: Any = [value] if isinstance(value, str) else value
    if key in _STEPS and _is_texts(names):
        return {key: names}
    hint = "A step is a command line, or one of: rule, pack, codemod. Such as {rule: ID}."
    raise bad_pack(f"{where} is no step", hint)


def _add_recipe(pack: Pack, title: str, recipe: Recipe) -> None:
    if (twin := pack.recipes.setdefault(title, recipe)) is not recipe:
        problem = f"{twin.place} and {recipe.place} are two recipes of one title"
        raise bad_pack(problem, "Rename one.", "two_recipes")


def refuse_twin(sources: dict[str, str], name: str, source: str) -> None:
    """Notes the source of a pack of this name; `RequestError` (`two_packs`) if there is another."""
    if (twin := sources.setdefault(name, source)) != source:
        hint = "Leave one out, or give it a name of its own: {use: …, name: other}, or --name."
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
    for title, recipe in inner.recipes.items():
        _add_recipe(pack, title, recipe.of_inner_pack(inner.name))
    pack.needs += inner.needs
    pack.warnings += inner.warnings
    pack.left_out += inner.left_out


def _manifest(files: Files, where: str) -> dict[str, Any]:
    if MANIFEST not in files:
        return {}
    documents = read_yaml(files[MANIFEST], f"{where}/{MANIFEST}")
    document = documents[0] if len(documents) == 1 else documents
    manifest: dict[str, Any] = checked(document, _MANIFEST, partial(bad_in, f"{where}: {MANIFEST}"))
    if requires := manifest.get("requires"):
        _check_requires(str(requires), where)
    return manifest


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _check_requires(text: str, where: str) -> None:
    """`>=0.1,<2` of astedit itself."""
    own = _version(__version__)
    for part in text.split(","):
        if (match := _REQUIRES.fullmatch(part)) is None:
            raise bad_pack(f"{where}: requires: {text!r} is no range of versions", "Such as >=0.1.")
        other = _version(match[2])
        if not {">=": own >= other, "==": own == other, "<": own < other}[match[1]]:
            problem = f"{where} requires astedit {text}, and this is {__version__}"
            raise bad_pack(problem, None, "pack_requires")


def _version(text: str) -> list[int]:
    return [*map(int, re.findall(r"[0-9]+", text)), 0, 0, 0][:3]


def _contents(files: Files, manifest: dict[str, Any], where: str) -> dict[str, Any]:
    """Where rules, utilities and tests are: the manifest says it, or sgconfig.yml, or nothing."""
    config = next((path for path in PROJECT_FILES if path in files), None)
    if "rules" in manifest or config is None:
        return manifest
    documents = read_yaml(files[config], f"{where}/{config}")
    settings = documents[0] if documents and isinstance(documents[0], dict) else {}
    configs = settings.get("testConfigs")
    named = [one for one in (configs if isinstance(configs, list) else ()) if isinstance(one, dict)]
    tests = [one["testDir"] for one in named if isinstance(one.get("testDir"), str)]
    rules, utils = settings.get("ruleDirs", []), settings.get("utilDirs")
    return {"rules": rules, "utils": utils, "tests": tests}


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
