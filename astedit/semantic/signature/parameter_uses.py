"""The uses of parameters that go or get another name."""

from dataclasses import dataclass, field

from astedit.engine.run_context import Run
from astedit.model.request import EditRequest
from astedit.semantic.facts.uses import KeywordUse, SpelledUse
from astedit.semantic.library import Library
from astedit.semantic.rename.collisions import check
from astedit.semantic.rename.gather import gather, possible_places
from astedit.semantic.rename.possible import UsePlace
from astedit.semantic.signature.new_signature import SignatureRequest
from astedit.text.splice import Change
from astedit.workspace.root import Workspace


@dataclass(slots=True)
class ParameterUses:
    """Of the function `name` in the module at `path`.

    `changes` are those of new names. `certain` are the evident uses of what goes, each with
    the reason why it is in the way unless it is part of a definition or a call.
    """

    request: EditRequest
    workspace: Workspace
    run: Run
    path: str
    name: str
    unnamed: set[str]  # what is passed by position only: a keyword of that name is another
    changes: dict[str, set[Change]] = field(default_factory=dict)
    certain: dict[str, list[tuple[SpelledUse, str]]] = field(default_factory=dict)
    places: list[UsePlace] = field(default_factory=list)

    def read(self, asked: SignatureRequest) -> None:
        """Reads the uses; raises `PreconditionError` (`collision`) for a taken name."""
        for old in asked.remove:
            self._read(old, None)
        for old, new in asked.rename:
            self._read(old, new)

    def _read(self, old: str, new: str | None) -> None:
        with Library(self.request, self.workspace, self.run, old, new) as library:
            references = gather(library, self.path, f"{self.name}.{old}")
            judged = references.judged()
            for use in possible_places(library, judged):
                self.places.append(use._replace(why=f"{old}: {use.why}"))
            for path, every in judged.certain.items():
                uses = [each for each in every if not self._is_another(old, each)]
                if new is None:
                    self.certain.setdefault(path, []).extend(
                        (use, _reason(use, old)) for use in uses
                    )
                    continue
                changes = {(use.start, use.end, new.encode()) for use in uses}
                self.changes.setdefault(path, set()).update(changes)
            if new is not None:
                check(references, judged, new)

    def _is_another(self, name: str, use: SpelledUse) -> bool:
        return name in self.unnamed and isinstance(use, KeywordUse)


def _reason(use: SpelledUse, name: str) -> str:
    is_keyword = isinstance(use, KeywordUse)
    return (
        f"{name!r} is passed in a way that is not followed" if is_keyword else f"{name!r} is used"
    )
