"""The files of a pack to its rules, utilities and tests; what is wrong is named, not raised."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from astedit.errors import LimitError, RequestError
from astedit.packs.source import Files, PackUse, bad_pack, inside, parse_use
from astedit.rule.cascade import with_params
from astedit.rule.document import Document, foreign_rules, read_utilities
from astedit.rule.failure import one_of, some_of
from astedit.rule.yaml import read_yaml
from astedit.version import __version__

MANIFEST = "astedit-pack.yml"
KEYS = (
    *("name", "version", "requires", "params", "preconditions"),
    *("rules", "utils", "packs", "tests", "recipes"),
)
_RECIPE = ("language", "preconditions", "steps")
_STEPS = ("rule", "pack", "codemod")
MAX_RULES = 5_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_REQUIRES = re.compile(r"\s*(>=|==|<)\s*([0-9]+(?:\.[0-9]+){0,2})\s*")
_NUMBERS = re.compile(r"[^0-9.].*")
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
    for name in use.severity:
        if name and not any(rule.id == f"{pack.name}/{name}" for rule in pack.rules):
            ids = [rule.id.partition("/")[2] for rule in pack.rules]
            raise bad_pack(f"{use.text}: no rule {name!r} to set", some_of(ids, name))
    pack.rules = [_set(rule, use, mark | {"pack": pack.name}) for rule in pack.rules]
    if use.params:
        values = {name: _as_text(value) for name, value in use.params.items()}
        pack.rules = with_params(pack.rules, values)
    return pack


def _as_text(value: Any) -> str:
    """A parameter as --set would have it: YAML reads `true` and `1` as no texts."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _set(rule: Document, use: PackUse, mark: dict[str, Any]) -> Document:
    own = rule.id.partition("/")[2]
    severity = use.severity.get(own, use.severity.get("", rule.severity))
    metadata = rule.content.get("metadata", {})
    ours = metadata.get("astedit", {})
    ours = {**ours, **mark} if isinstance(ours, dict) else mark
    content = {**rule.content, "metadata": {**metadata, "astedit": ours}}
    return replace(rule, content=content).of_severity(severity)


def _read(files: Files, where: str, default_name: str, chosen: str | None = None) -> Pack:
    manifest = _manifest(files, where)
    name = chosen if chosen is not None else manifest.get("name", default_name)
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        hint = "Letters, digits and . _ - make a name."
        raise bad_pack(f"{where}: {name!r} cannot be the name of a pack", hint)
    pack = Pack(name, str(manifest.get("version", "")))
    _check_requires(manifest.get("requires"), where)
    rules, utils, pack.tests = _places(files, manifest, where)
    utilities = [one for path in utils for one in _utilities(files[path], path, pack)]
    names = {one.id for one in utilities}
    seen: dict[str, str] = {}
    for path in rules:
        documents, problems, unknown = foreign_rules(files[path], path)
        pack.warnings += unknown
        pack.left_out += problems
        for rule in documents:
            if rule.id in seen:
                twin = f"{path}: rule {rule.id!r} is in {seen[rule.id]} too"
                pack.left_out.append(twin)
                continue
            added = _of_pack(manifest, rule, first=path not in seen.values())
            seen[rule.id] = path
            rule = replace(rule, content={**rule.content, **added})
            pack.rules.append(_qualified(rule, name, names, path))
        if len(pack.rules) > MAX_RULES:
            raise LimitError(
                f"The pack {where} has more than {MAX_RULES:,} rules.", code="pack_too_large"
            )
    pack.utils = [_qualified(one, name, names, one.path or "") for one in utilities]
    pack.rules = [_calling(rule, name, set(seen)) for rule in pack.rules]
    for inner in manifest.get("packs", ()):
        _nest(pack, files, inner, where)
    for title, raw in manifest.get("recipes", {}).items():
        pack.recipes[title] = _recipe(raw, f"{where}: {MANIFEST}, recipes.{title}")
    return pack


def _recipe(raw: Any, where: str) -> Recipe:
    """A list of steps, or an object that says more of them."""
    said = {"steps": raw} if isinstance(raw, list) else raw
    if not isinstance(said, dict) or not isinstance(steps := said.get("steps"), list) or not steps:
        raise bad_pack(f"{where}: a list of steps is expected here", one_of(_STEPS))
    if unknown := sorted(said.keys() - set(_RECIPE)):
        raise bad_pack(f"{where}: unknown key {unknown[0]!r}", one_of(_RECIPE, unknown[0]))
    for at, step in enumerate(steps):
        names = [*step.items()] if isinstance(step, dict) else [("", step)]
        key, value = names[0] if len(names) == 1 else ("", None)
        if key not in ("", *_STEPS) or not (isinstance(value, str) or _is_list_of(value, str)):
            hint = "A step is a command line, or one of: rule, pack, codemod. Such as {rule: ID}."
            raise bad_pack(f"{where}.steps[{at}] is no step", hint)
    conditions = said.get("preconditions", [])
    if not _is_list_of(conditions, dict) or (conditions and not said.get("language")):
        raise bad_pack(f"{where}: preconditions are rule objects, and need a language", None)
    return Recipe(steps, str(said.get("language", "")), tuple(conditions))


def _of_pack(manifest: dict[str, Any], rule: Document, *, first: bool) -> dict[str, Any]:
    """What a manifest says of a rule: its preconditions, and the parameters of its file."""
    added: dict[str, Any] = {}
    # Parameters are declared once in a file, and so by its first rule.
    if first and (params := manifest.get("params")):
        added["params"] = {**params, **rule.content.get("params", {})}
    if conditions := manifest.get("preconditions"):
        added["preconditions"] = [*conditions, *rule.content.get("preconditions", ())]
    return added


def _calling(rule: Document, name: str, ids: set[str]) -> Document:
    """The rule with the pack's name before the ids of the pack's rules that it calls."""
    if "then" not in rule.content:
        return rule
    then = []
    for entry in rule.content["then"]:
        use = entry["use"] if isinstance(entry["use"], list) else [entry["use"]]
        then.append({**entry, "use": [f"{name}/{one}" if one in ids else one for one in use]})
    return replace(rule, content={**rule.content, "then": then})


def _nest(pack: Pack, files: Files, entry: Any, where: str) -> None:
    """Adds a pack that lies inside this one, and notes one that lies elsewhere."""
    use = parse_use(entry, f"{where}, packs")
    if use.kind != "directory":
        pack.needs.append(use)
        return
    below = inside(use.place, where) + "/"
    inner_files = {
        path[len(below) :]: text for path, text in files.items() if path[: len(below)] == below
    }
    if not inner_files:
        raise bad_pack(f"{where}, packs: there is no {use.text} in the pack", None)
    inner = _read(inner_files, f"{where}/{below}", below.rstrip("/").rpartition("/")[2])
    for kind, documents in (("rules", inner.rules), ("utils", inner.utils)):
        names = {one.id for one in inner.utils}
        getattr(pack, kind).extend(_qualified(d, pack.name, names, d.path or "") for d in documents)
    pack.warnings += inner.warnings
    pack.left_out += inner.left_out
    pack.recipes |= inner.recipes
    pack.needs += inner.needs
    pack.tests += [below + path for path in inner.tests]


def _manifest(files: Files, where: str) -> dict[str, Any]:
    if MANIFEST not in files:
        return {}
    documents = read_yaml(files[MANIFEST], f"{where}/{MANIFEST}")
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise bad_pack(f"{where}: {MANIFEST} holds one object", one_of(KEYS))
    for key, value in documents[0].items():
        if key not in KEYS:
            raise bad_pack(f"{where}: {MANIFEST}: unknown key {key!r}", one_of(KEYS, key))
        if key in ("params", "recipes") and not isinstance(value, dict | None):
            raise bad_pack(f"{where}: {MANIFEST}, {key}: an object is expected here", None)
        if key == "preconditions" and not _is_list_of(value, dict):
            raise bad_pack(f"{where}: {MANIFEST}, {key}: a list of rule objects is expected", None)
        if key == "packs" and not isinstance(value, list | None):
            raise bad_pack(f"{where}: {MANIFEST}, packs: a list of packs is expected here", None)
        if key in ("rules", "utils", "tests") and not _is_list_of(value, str):
            raise bad_pack(f"{where}: {MANIFEST}, {key}: a list of paths is expected here", None)
    return {key: value for key, value in documents[0].items() if value is not None}


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _check_requires(raw: Any, where: str) -> None:
    """`>=0.1,<2` of astedit itself."""
    if raw is None:
        return
    own = _version(_NUMBERS.sub("", __version__))
    for part in str(raw).split(","):
        match = _REQUIRES.fullmatch(part)
        if match is None:
            raise bad_pack(f"{where}: requires: {raw!r} is no range of versions", "Such as >=0.1.")
        other = _version(match[2])
        fits = {">=": own >= other, "==": own == other, "<": own < other}[match[1]]
        if not fits:
            raise bad_pack(
                f"{where} requires astedit {raw}, and this is {__version__}", None, "pack_requires"
            )


def _version(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".") if part]
    return (*numbers, *(0,) * (3 - len(numbers)))


def _places(
    files: Files, manifest: dict[str, Any], where: str
) -> tuple[list[str], list[str], list[str]]:
    """The files of rules, those of utilities, and where tests are."""
    if manifest.get("rules") is not None:
        rules = _below(files, manifest["rules"], where, "rules")
        utils = _below(files, manifest.get("utils", ()), where, "utils")
        tests = [inside(one, where) for one in manifest.get("tests", ())]
        return rules, utils, tests
    config = next((files[name] for name in _PROJECTS if name in files), None)
    if config is None:
        plain = [path for path in files if path != MANIFEST and _is_rule_file(files[path])]
        return plain, [], [inside(one, where) for one in manifest.get("tests", ())]
    documents = read_yaml(config, f"{where}/sgconfig.yml")
    settings = documents[0] if documents and isinstance(documents[0], dict) else {}
    tests = [
        inside(one["testDir"], where)
        for one in settings.get("testConfigs") or ()
        if isinstance(one, dict) and isinstance(one.get("testDir"), str)
    ]
    rules = _below(files, settings.get("ruleDirs") or (), where, "ruleDirs")
    return rules, _below(files, settings.get("utilDirs") or (), where, "utilDirs"), tests


def _below(files: Files, places: Any, where: str, key: str) -> list[str]:
    found: dict[str, None] = {}
    for place in places if _is_list_of(list(places), str) else ():
        path = inside(place, where)
        chosen = [one for one in files if not path or one == path or one.startswith(path + "/")]
        if not chosen and not path:
            raise bad_pack(f"{where}, {key}: there is no YAML file", None)
        found |= dict.fromkeys(one for one in chosen if one != MANIFEST)
    return list(found)


def _is_rule_file(text: bytes) -> bool:
    try:
        documents = read_yaml(text)
    except RequestError:
        return b"rule:" in text  # it is named as one that was left out
    return any(isinstance(one, dict) and "rule" in one for one in documents)


def _utilities(text: bytes, path: str, pack: Pack) -> Iterator[Document]:
    try:
        yield from read_utilities(text, path)
    except RequestError as error:
        pack.left_out.append(f"{path}: {error.message}")


def _qualified(document: Document, name: str, utilities: set[str], path: str) -> Document:
    """The document with the pack's name before its id, and before utilities that it names."""
    local = document.content.get("utils")
    names = utilities - set(local if isinstance(local, dict) else ()) - set(document.arguments)
    content = _renamed(dict(document.content), names, name) if names else dict(document.content)
    id = f"{name}/{document.id}"
    return replace(document, id=id, content={**content, "id": id}, path=f"{name}: {path}")


def _renamed(value: Any, names: set[str], name: str) -> Any:
    if isinstance(value, list):
        return [_renamed(one, names, name) for one in value]
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    for key, inner in value.items():
        if key == "matches" and isinstance(inner, str) and inner in names:
            changed[key] = f"{name}/{inner}"
        elif key == "matches" and isinstance(inner, dict):
            changed[key] = {
                f"{name}/{call}" if call in names else call: _renamed(one, names, name)
                for call, one in inner.items()
            }
        else:
            changed[key] = _renamed(inner, names, name)
    return changed
