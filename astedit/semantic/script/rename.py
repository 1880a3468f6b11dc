"""`rename` in JavaScript and TypeScript: what modules export, import and pass on."""

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import AlsoUses, listed
from astedit.semantic.module_code import refused
from astedit.semantic.rename import syntactic
from astedit.semantic.rename.rename import new_name
from astedit.semantic.script.files import LANGUAGES, ScriptFiles
from astedit.semantic.script.members import MemberUses
from astedit.semantic.script.uses import NameUses, ScriptUse, ScriptUses
from astedit.text.splice import Change


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
    uses = (
        MemberUses(files, asked) if "." in asked.name else _name_uses(files, asked.path, old, new)
    )
    if isinstance(uses, MemberUses) and uses.has(new):
        owner = asked.name.rpartition(".")[0]
        raise refused(asked.path, f"has {new!r} in {owner} already", "collision")
    changes: dict[str, set[Change]] = {}
    role = "" if isinstance(uses, MemberUses) else _role_of(uses, asked)
    roles: dict[str, set[str]] = {}
    for use in uses.uses:
        named = roles.setdefault(use.file.path, set())
        named |= _roles(use) if use.kind != "member" else set()
    for use in uses.uses:
        meant = roles[use.file.path] if use.kind == "import" else _roles(use)
        if use.kind == "star" or use.renamed or (role and meant and role not in meant):
            continue
        text = {"shorthand": f"{old}: {new}", "taken": f"{new}: {old}"}.get(use.kind, new)
        if role and len(meant) > 1:
            if use.node.parent is not None and use.node.parent.child_by_field_name("alias"):
                why = f"gives one other name to {old}, which is a type and a value"
                raise refused(use.file.path, why, "cannot_follow", at=use.node)
            text = f"{old}, {new}"  # the other one keeps its name
        change = (use.node.start_byte, use.node.end_byte, text.encode())
        changes.setdefault(use.file.path, set()).add(change)
    places = AlsoUses(asked.arguments).write(sorted(set(uses.places)), changes, new)
    return asked.plan(files.library.worked_out(changes, listed(old, places)))


def _name_uses(files: ScriptFiles, path: str, old: str, new: str) -> ScriptUses:
    uses = ScriptUses(files, path, old, aliases=False)
    for file in uses.own.values():
        if file.leaves(new):
            hint = "Choose another name, or rename that one first."
            raise refused(file.path, f"has something called {new!r}", "collision", hint)
    return uses


def _roles(use: ScriptUse) -> set[str]:
    """Whether a use means a type or a value of the name, or passes both on; none of an import."""
    if use.kind in ("export", "again"):
        return {"type", "value"}
    role = "type" if "type_identifier" in use.node.type else "value"
    return set() if use.kind in ("import", "star") else {role}


def _role_of(uses: NameUses, asked: NameRequest) -> str:
    """Which role is meant where a type and a value have one name; "" where they are one thing."""
    low, high = map(int, asked.arguments["region"].split(":"))
    own = [use for use in uses.definitions if use.file.path == asked.path]
    meant = [role for u in own if low <= u.node.start_byte < high for role in _roles(u)]
    return meant[0] if meant and len({role for u in own for role in _roles(u)}) > 1 else ""
