"""`remove` in JavaScript and TypeScript: a definition that nothing evidently uses."""

from collections.abc import Sequence

from tree_sitter import Node

from astedit.language.brackets import parents
from astedit.model.plan import Plan
from astedit.python.evaluation import is_within
from astedit.python.syntax import parts_of
from astedit.semantic.imports.javascript import JavaScript
from astedit.semantic.imports.lines import without_lines
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import in_use, listed, refuse_listed
from astedit.semantic.module_code import refused, top_of
from astedit.semantic.remove import item_cuts
from astedit.semantic.script.files import ScriptFile, ScriptFiles, without_idle
from astedit.semantic.script.members import uses_of
from astedit.semantic.script.object_types import BODIES
from astedit.semantic.script.uses import ScriptUse
from astedit.text.source import Change

_MEMBERS = (
    *("method_definition", "public_field_definition", "field_definition", "method_signature"),
    *("property_signature", "abstract_method_signature"),
)


def plan(asked: NameRequest) -> Plan:
    """The plan of a removal in scripts; see `remove.plan`."""
    path, name, old = asked.path, asked.name, asked.last
    files = ScriptFiles(asked, old)
    uses = uses_of(files, asked)
    own = [use for use in uses.definitions if use.file.path == path]
    going = [definition_of(use) for use in own if uses.is_own(use)]
    if not going:
        raise refused(path, f"has no statement that defines {old!r} alone", "not_removable")
    file = files.needed(path)
    left = [use for use in uses.uses if not _goes(use, file, going, uses.uses)]
    if left:
        raise in_use(name, path, [(u.file.path, u.file.code, u.node.start_byte) for u in left])
    refuse_listed(name, uses.places, asked.arguments)
    changes: dict[str, list[Change]] = {path: cuts(file, going)}
    for use in uses.uses:
        if use.kind in ("export", "common") and use.file is file:
            changes[path] += _without_export(file, use.node, going)
        elif use.kind == "import":
            imports = [i for i, node in use.file.imported if is_within(use.node, node)]
            cut = JavaScript(use.file.language).removed(imports, use.file.root, use.file.code)
            changes.setdefault(use.file.path, []).extend(cut)
    changes[path] = without_idle(file, changes[path])
    return asked.plan(files.library.worked_out(changes, listed(old, uses.places)), contained=True)


def definition_of(use: ScriptUse) -> Node:
    """The statement of a definition, or the member; raises for one that has others in it."""
    node = use.node
    if node.parent is not None and node.parent.type.endswith("_parameter"):
        why = "is a parameter of its constructor"
        raise refused(use.file.path, why, "not_removable", at=node)
    for above, part in parents(node):
        if above.type == "enum_body":
            why = "numbers those behind it in its enum"
            raise refused(use.file.path, why, "not_removable", at=node)
        if part.type in _MEMBERS or above.type in ("program", *BODIES):
            return part
        if above.type in ("lexical_declaration", "variable_declaration") and (
            len([n for n in above.named_children if n.type == "variable_declarator"]) > 1
        ):
            raise refused(use.file.path, "shares its statement with others", "not_movable", at=part)
        if above.type == "statement_block":
            break
    raise refused(use.file.path, "does not stand at the top of its module", "not_movable", at=node)


def cuts(file: ScriptFile, going: Sequence[Node]) -> list[Change]:
    """The changes that take whole statements or members away, with what belongs to them."""
    spans = map(file.lines_of, sorted(going, key=lambda node: node.start_byte))
    return without_lines(spans, file.code, lambda at: file.code[:at].rstrip().endswith(b"{"))


def _goes(
    use: ScriptUse, file: ScriptFile, going: Sequence[Node], every: Sequence[ScriptUse]
) -> bool:
    """Whether a use goes with the definition: in it, its export, an import that nobody uses."""
    at = use.node.start_byte
    if use.file is file:
        inside = any(node.start_byte <= at < node.end_byte for node in going)
        return inside or use.kind in ("export", "common")
    if use.kind != "import":
        return use.kind == "star"
    return all(other.kind == "import" for other in every if other.file is use.file)


def _without_export(file: ScriptFile, word: Node, going: Sequence[Node]) -> list[Change]:
    """What takes a name out of `export { … }`, `module.exports = { … }`, or `exports.name = …`."""
    node = word
    while node.parent is not None and node.type not in ("export_specifier", "expression_statement"):
        if node.type.startswith("shorthand_property"):
            break
        node = node.parent
    items = parts_of(node.parent)
    if node.type == "expression_statement" or (node.type == "export_specifier" and len(items) == 1):
        statement = top_of(node)
        return [] if statement in going else cuts(file, [statement])
    return item_cuts([node], file.code, file.language)
