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
from astedit.semantic.script.uses import ScriptUses
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
    path, (owner, _, old) = asked.path, asked.name.rpartition(".")
    files = ScriptFiles(Library(asked, old, None, LANGUAGES))
    uses = (
        _member_uses(files, path, owner, old, new) if owner else _name_uses(files, path, old, new)
    )
    changes: dict[str, set[Change]] = {}
    for use in uses.uses:
        if use.kind != "star" and not use.renamed:
            text = f"{old}: {new}" if use.kind == "shorthand" else new
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


def _member_uses(files: ScriptFiles, path: str, owner: str, old: str, new: str) -> MemberUses:
    uses = MemberUses(files, path, owner, old)
    if new in uses.members.get((path, owner), ()):
        raise refused(path, f"has {new!r} in {owner} already", "collision")
    return uses
