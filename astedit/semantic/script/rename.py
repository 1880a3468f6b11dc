"""`rename` in JavaScript and TypeScript: what modules export, import and pass on."""

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import nearest
from astedit.model.plan import Plan
from astedit.python.evaluation import is_within
from astedit.python.syntax import every_node, text_of
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import AlsoUses, listed
from astedit.semantic.module_code import refused
from astedit.semantic.rename import syntactic
from astedit.semantic.rename.rename import new_name
from astedit.semantic.script.files import LANGUAGES, ScriptFile, ScriptFiles
from astedit.semantic.script.members import MemberUses
from astedit.semantic.script.uses import NameUses, ScriptUse, ScriptUses
from astedit.text.source import Change

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
    files, old = ScriptFiles(Library(asked, asked.last, None, LANGUAGES)), asked.last
    uses: MemberUses | ScriptUses
    also = AlsoUses(asked.arguments)
    if "." in asked.name and (private := _private(files.needed(asked.path), asked, new)):
        return asked.plan(files.library.worked_out({asked.path: private}, []))
    if "." in asked.name:
        uses, role = MemberUses(files, asked), ""
        if uses.has(new):
            owner = asked.name.rpartition(".")[0]
            raise refused(asked.path, f"has {new!r} in {owner} already", "collision")
    else:
        uses = ScriptUses(files, asked.path, old, aliases=False, also=also)
        role = _role_of(uses, asked)
        for file in (file for file in uses.own.values() if file.leaves(new)):
            hint = "Choose another name, or rename that one first."
            raise refused(file.path, f"has something called {new!r}", "collision", hint)
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
            hint = "Choose another name, or rename that one first."
            raise refused(use.file.path, why, "collision", hint, at=use.node)
        text = {"shorthand": f"{old}: {new}", "taken": f"{new}: {old}"}.get(use.kind, new)
        if role and len(meant) > 1:
            above = use.node.parent
            if above and (above.type in _WHOLE or above.child_by_field_name("alias")):
                why = f"gives one other name to {old}, which is a type and a value"
                raise refused(use.file.path, why, "cannot_follow", at=use.node)
            text = f"{old}, {new}"  # the other one keeps its name
        change = (*use.node.byte_range, text.encode())
        changes.setdefault(use.file.path, set()).add(change)
    if not changes:  # the definition is one
        raise refused(asked.path, f"has {old} in code that cannot be parsed", "cannot_follow")
    places = also.write(sorted(set(uses.places)), changes, new)
    return asked.plan(files.library.worked_out(changes, listed(old, places, also=True)))


def _private(file: ScriptFile, asked: NameRequest, new: str) -> set[Change]:
    """The changes of a member `#old`, which nobody outside of its class can name."""
    low, high = map(int, asked.arguments["region"].split(":"))
    names = [node for node in every_node(file.root) if node.type == "private_property_identifier"]
    inside = [node for node in names if low <= node.start_byte < high]
    if not inside or text_of(inside[0]) != f"#{asked.last}":
        return set()
    body = nearest(inside[0], ("class_body",))
    assert body is not None
    own = [node for node in names if is_within(node, body)]
    public = next((node for node in file.words(asked.last) if node.parent in body.children), None)
    if public is not None or any(text_of(node) == f"#{new}" for node in own):
        code, taken = ("ambiguous", asked.last) if public is not None else ("collision", f"#{new}")
        raise refused(file.path, f"has {taken} beside #{asked.last}", code, at=public)
    changes = {node.byte_range for node in own if text_of(node) == f"#{asked.last}"}
    return {(start + 1, end, new.encode()) for start, end in changes}


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
    meant = [role for u in own if low <= u.node.start_byte < high for role in _roles(u)]
    return meant[0] if meant and len({role for u in own for role in _roles(u)}) > 1 else ""
