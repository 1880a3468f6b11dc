"""Which part of a plan is applied: edit ids and path globs, or all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from astedit.errors import RequestError
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.review.ties import settled
from astedit.workspace.gitignore import Globs


@dataclass(frozen=True, slots=True)
class Wish:
    """What a resolution asks for beside `apply`.

    `only` and `exclude` hold edit ids and path globs; `refresh` asks for a new preview.
    """

    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    refresh: bool = False

    @classmethod
    def of(cls, extra: Mapping[str, Any] | None) -> Self:
        """Reads `extra` of a resolution.

        Raises `RequestError` for a key that means nothing here, for the wrong types, and for
        a wish that contradicts itself.
        """
        wishes = extra or {}
        refuse_unknown(wishes, ("only", "exclude", "refresh"))
        wish = cls(_texts(wishes, "only"), _texts(wishes, "exclude"), _flag(wishes, "refresh"))
        if "only" in wishes and not wish.only:  # a list that came out empty must not mean all
            raise RequestError(
                "`only` is empty: no edit is chosen.",
                code="empty_choice",
                hint="Leave it out to apply all of the plan.",
            )
        if wish.refresh and (wish.only or wish.exclude):
            raise RequestError("`refresh` writes nothing: there is no part to choose.")
        return wish

    def chosen(self, plan: Plan) -> tuple[Plan, list[dict[str, str]]]:
        """The part of the plan to write, and `{id, path}` of every other edit.

        Raises `RequestError` for an id or glob that means no edit, and for an empty choice.
        """
        if not self.only and not self.exclude:
            return plan, []
        only, exclude = self._selected(plan, self.only), self._selected(plan, self.exclude)
        wanted = (only or _all(plan)) - exclude
        wanted = {
            (file.path, name) for file in plan.files for name in settled(file, _ids(file, wanted))
        }
        if not wanted:
            raise RequestError("No edit is left to apply.", code="empty_choice")
        files = [part for file in plan.files if (part := _part(file, wanted)) is not None]
        rest = [
            {"id": edit.id, "path": file.path}
            for file in plan.files
            for edit in file.edits
            if (file.path, edit.id) not in wanted
        ]
        total = sum(file.replacements for file in files)
        chosen = replace(plan, files=files, shapes=[])
        chosen.files_touched, chosen.total_replacements = len(files), total
        return chosen, rest

    def _selected(self, plan: Plan, items: Sequence[str]) -> set[tuple[str, str]]:
        edits: set[tuple[str, str]] = set()
        for item in items:
            glob = Globs([item])
            meant = {
                (path, name)
                for path, name in _all(plan)
                if name == item or glob.verdict(path) is True
            }
            if not meant:
                raise RequestError(
                    f"{item!r} is no edit id and no glob of a file of this plan.",
                    code="unknown_edit",
                    hint="`astedit show --format json` lists the ids.",
                )
            edits |= meant
        return edits


def refuse_unknown(extra: Mapping[str, Any] | None, known: Sequence[str]) -> None:
    """Raises `RequestError` for a key of `extra` that nobody would look at."""
    unknown = [key for key in extra or {} if key not in known]
    if unknown:
        hint = f"Known: {', '.join(known)}." if known else "Leave `extra` away."
        raise RequestError(f"`extra` has no {unknown[0]!r}.", code="invalid", hint=hint)


def _all(plan: Plan) -> set[tuple[str, str]]:
    """Path and id of every edit."""
    return {(file.path, edit.id) for file in plan.files for edit in file.edits}


def _ids(file: FilePlan, edits: set[tuple[str, str]]) -> list[str]:
    """Those of the edits that are in the file."""
    return [edit.id for edit in file.edits if (file.path, edit.id) in edits]


def _part(file: FilePlan, wanted: set[tuple[str, str]]) -> FilePlan | None:
    """The file with the chosen edits only; its new hash is known when it is written."""
    edits: list[Edit] = [edit for edit in file.edits if (file.path, edit.id) in wanted]
    if len(edits) == len(file.edits):
        return file
    count = sum(edit.matches for edit in edits)
    return replace(file, edits=edits, replacements=count, after_hash=None) if edits else None


def _texts(wishes: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = wishes.get(name, ())
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise RequestError(f"`{name}` is not a list of edit ids and path globs.")
    if not all(isinstance(item, str) and item for item in value):
        raise RequestError(f"`{name}` holds something else than texts.")
    return tuple(value)


def _flag(wishes: Mapping[str, Any], name: str) -> bool:
    value = wishes.get(name, False)
    if not isinstance(value, bool):
        raise RequestError(f"`{name}` is not true or false.")
    return value
