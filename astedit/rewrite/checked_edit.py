"""What one edit does to a text, as far as its result is looked at."""

from typing import NamedTuple

from astedit.rewrite.template_tree import TemplateTree
from astedit.text.indent import Text
from astedit.text.splice import Change


class Put(NamedTuple):
    """New text in the place of bytes `start` to `end`, which with `is_node` are a node.

    `pieces` are the same in the smallest pieces, if they are known: more of the old tree is
    then used again. `tree` is what the text is to be read as, if that is known. `bound` are
    the names of captures with something that belongs to a function around them.
    """

    start: int
    end: int
    text: Text
    is_node: bool = False
    pieces: tuple[Change, ...] = ()
    tree: TemplateTree | None = None
    bound: frozenset[str] = frozenset()

    @property
    def change(self) -> Change:
        """What it does to the text."""
        return self.start, self.end, self.text.data

    @property
    def smallest(self) -> tuple[Change, ...]:
        """The same in pieces as small as they are known."""
        return self.pieces or (self.change,)

    def moved(self, by: int) -> "Put":
        """The same, so far behind."""
        pieces = tuple((start + by, end + by, new) for start, end, new in self.pieces)
        return self._replace(start=self.start + by, end=self.end + by, pieces=pieces)
