"""The classes whose calls are calls of one `__init__`, and those calls."""

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.request import EditRequest
from astedit.semantic.inference.classes import ClassInference, member_of
from astedit.semantic.inference.values import QualifiedName
from astedit.semantic.library import Library
from astedit.semantic.rename.gather import gather
from astedit.semantic.rename.references import References
from astedit.semantic.signature.call_sites import SiteReader
from astedit.workspace.root import Workspace

_INIT = "__init__"


def class_calls(
    request: EditRequest, workspace: Workspace, run: Run, references: References, sites: SiteReader
) -> None:
    """Sorts the calls of a constructor's class, and of those below that have none of their own.

    From now on `references` means the `__init__` of that class alone. Raises
    `PreconditionError` where `__new__` would be called as well.
    """
    owner = references.owner
    assert owner is not None
    references.family &= {owner, *_twins(references, owner)}
    waiting, seen, others = [owner], set[QualifiedName](), False
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        simple = place.name.rpartition(".")[2]
        with Library(request, workspace, run, simple, None) as library:
            found = gather(library, *place)
            _check_new(found.inference, place)
            heirs = found.inference.below(place)
            inherit = [h for h in heirs if found.inference.definer(h, _INIT)[0] in (place, owner)]
            others |= len(inherit) < len(heirs)
            waiting += inherit
            sites.classes(found)
    for place in sorted(seen):
        sites.constructed(*place, certain=not others)


def _twins(references: References, owner: QualifiedName) -> list[QualifiedName]:
    twin = references.inference.modules.twin(owner.path)
    return [QualifiedName(twin, owner.name)] if twin else []


def _check_new(inference: ClassInference, place: QualifiedName) -> None:
    for ancestor in inference.lineage(place)[0]:
        if inference.binds(member_of(ancestor, "__new__")):
            raise PreconditionError(
                f"{ancestor.name} in {ancestor.path} has `__new__`, which gets the same "
                "arguments; nothing was staged.",
                path=ancestor.path,
                code="no_signature",
            )
