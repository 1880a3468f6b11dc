"""`rename` in JavaScript and TypeScript: what modules export, import and pass on."""

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.python.syntax import text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import AlsoUses, listed
from astedit.semantic.module_code import refused
from astedit.semantic.rename import syntactic
from astedit.semantic.rename.rename import new_name
from astedit.semantic.script.files import ScriptFiles
from astedit.semantic.script.members import MemberUses
from astedit.semantic.script.uses import NameUses, ScriptUse, ScriptUses
from astedit.text.source import Change

_HINT = "Choose another name, or rename that one first."
# statements that pass on all that one name means
_WHOLE = ("export_statement", "import_alias")


def plan(asked: NameRequest) -> Plan:
    """The plan of a rename in the scripts of a workspace; see `rename.plan`.

    A name of a function stays in its file.
    """
    new = new_name(asked)
    try:
        return syntactic.plan(asked)
    except PreconditionError as error:
        if error.code != "public_name":
            raise
    try:
        return _followed(asked, new)
    except PreconditionError as error:
        raise syntactic.explained(error, asked.path, new) from error


def _followed(asked: NameRequest, new: str) -> Plan:
    files, old = ScriptFiles(asked, asked.last), asked.last
    uses: MemberUses | ScriptUses
    also = AlsoUses(asked.arguments)
    if "." in asked.name:
        uses, role = MemberUses(files, asked), ""
        if uses.has(new):
            owner = asked.name.rpartition(".")[0]
            raise refused(asked.path, f"has {new!r} in {owner} already", "collision")
    else:
        uses = ScriptUses(files, asked.path, old, aliases=False, also=also)
        role = _role_of(uses, asked)
        starred = (use.file for use in uses.uses if use.kind == "star")
        beside = {files.resolved(file.path, module) for file in starred for _, module in file.again}
        taken = [path for path, file in uses.own.items() if file.leaves(new)]
        taken += [p for p in beside if p is not None and files.needed(p).declarations(new)]
        if taken:
            raise refused(min(taken), f"has something called {new!r}", "collision", _HINT)
    changes: dict[str, set[Change]] = {}
    roles: dict[str, set[str]] = {}
    for use in (use for use in uses.uses if use.kind != "member"):
        roles.setdefault(use.file.path, set()).update(_roles(use))
    for use in uses.uses:
        meant = _roles(use) or roles.get(use.file.path, set())
        if use.kind == "star" or use.renamed or (role and meant and role not in meant):
            continue
        if use.kind not in ("member", "again") and use.file.is_hidden(new, use.node):
            why = f"has another {new!r} where {old} is used"
            raise refused(use.file.path, why, "collision", _HINT, at=use.node)
        is_tag = use.node.parent is not None and use.node.parent.type.startswith("jsx_")
        if is_tag and use.kind == "name" and new[0].islower() and not old[0].islower():
            why = f"would read <{new}> as an element of the page"
            raise refused(use.file.path, why, "cannot_follow", at=use.node)
        sign = "#" if text_of(use.node).startswith("#") else ""
        text = {"shorthand": f"{old}: {new}", "taken": f"{new}: {old}"}.get(use.kind, sign + new)
        if role and len(meant) > 1:
            above = use.node.parent
            if above and (above.type in _WHOLE or above.child_by_field_name("alias")):
                why = f"gives one other name to {old}, which is a type and a value"
                raise refused(use.file.path, why, "cannot_follow", at=use.node)
            text = f"{old}, {new}"  # the other one keeps its name
        change = (*use.node.byte_range, text.encode())
        changes.setdefault(use.file.path, set()).add(change)
    if not changes:  # the definition is one
        why = f"has {old} in code that cannot be parsed, or in a namespace or an object"
        raise refused(asked.path, why, "cannot_follow")
    places = also.write(sorted(set(uses.places)), changes, new)
    return asked.plan(files.library.worked_out(changes, listed(old, places, also=True)))


def _roles(use: ScriptUse) -> set[str]:
    """Whether a use means a type or a value of the name, or passes both on.

    An import under another name means what its file uses; one under its own name says nothing.
    """
    if use.kind == "import" and use.node.parent:
        alias = use.node.parent.child_by_field_name("alias")
        leaves = use.file.leaves(text_of(alias)) if alias else []
        return {role for leaf in leaves if leaf != alias for role in _meaning(leaf)}
    return _meaning(use.node)


def _meaning(node: Node) -> set[str]:
    if node.parent and node.parent.type in ("export_specifier", *_WHOLE):
        return {"type", "value"}
    return {"type" if "type_identifier" in node.type else "value"}


def _role_of(uses: NameUses, asked: NameRequest) -> str:
    """Which role is meant where a type and a value have one name; "" where they are one thing."""
    low, high = map(int, asked.arguments["region"].split(":"))
    own = [use for use in uses.definitions if use.file.path == asked.path]
    meant = {role for u in own if low <= u.node.start_byte < high for role in _roles(u)}
    every = {role for u in own for role in _roles(u)}
    is_whole = any(u.node.parent and "class" in u.node.parent.type for u in own)
    return "" if is_whole or meant == every else next(iter(meant), "")
