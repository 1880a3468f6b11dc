"""The signs that group an expression in a language, and what may stand between them."""

from typing import NamedTuple


class Brackets(NamedTuple):
    """A pair of signs that groups an expression and says nothing else.

    `kinds`: the kinds of node that may be put between `before` and `after`. Such a node
    means the same with the brackets as without them, in places where the grammar accepts
    both. Whether it accepts them in one place is for the parser to say. A kind that has
    several meanings, of which the brackets change one, is not listed.
    """

    kinds: frozenset[str]
    before: bytes = b"("
    after: bytes = b")"

    @classmethod
    def around(cls, kinds: str) -> "Brackets":
        """Round brackets around these kinds, which are words between blanks."""
        return cls(frozenset(kinds.split()))
