"""How many places a pattern might have meant, and what those lack that it does not match."""

from dataclasses import dataclass, field

from astedit.json_model import Model


@dataclass(slots=True, eq=False, repr=False)
class NearReason(Model):
    """Places of one kind that do not match, and the first of them.

    `kind` is the kind of node that the name stands in there. `why` says what differs, and
    `spelling` what would match it; both are None where nobody looked.
    """

    kind: str
    count: int
    path: str
    line: int | None = None
    text: str | None = None
    why: str | None = None
    spelling: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Near(Model):
    """One op's places: where the rarest `name` of its `pattern` stands in code.

    Counted in the files that hold all texts of the pattern. Of the rest the commonest
    `reasons` come first.
    """

    op: int
    pattern: str
    name: str
    places: int
    matched: int
    reasons: list[NearReason] = field(default_factory=list)

    @property
    def is_partial(self) -> bool:
        """Whether most places do not match, which is worth a reason."""
        return not self.matched or self.places > 2 * self.matched
