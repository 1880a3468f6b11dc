"""In which groups of edits something was decided, so that only those are counted again."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from astedit.review.decisions import Review

Group = TypeVar("Group")


class ChangedGroups(Generic[Group]):
    """What was decided since somebody last asked, by the group of each edit."""

    def __init__(self, review: Review, groups: Mapping[str, Group]) -> None:
        self._review = review
        self._groups = groups
        self._revision = review.revision
        self._imports = [tie.imports for tie in review.ties]

    def since_last(self) -> set[Group]:
        """These groups; those with edits of imports each time, since they follow others."""
        if self._revision == self._review.revision:
            return set()
        changed = [*self._review.changed_since(self._revision), *self._imports]
        self._revision = self._review.revision
        return {self._groups[edit_id] for edit_id in changed if edit_id in self._groups}
