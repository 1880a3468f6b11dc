"""The ledger of a plan as HTML: how many places there are, what became of them and why."""

from collections.abc import Iterator

from astedit.page.left_out import SHOWN
from astedit.page.place_list import place_list
from astedit.review.ledger.model import (
    OUTCOME_WORDS,
    OUTCOMES,
    AlikePlaces,
    LedgerName,
    PlaceLedger,
    alike_places,
)
from astedit.text.count_phrases import number
from astedit.text.html import html, html_line

TITLE = "What became of each place"
_LISTS = 120_000  # bytes of lists of places


def ledger_section(ledger: PlaceLedger) -> str:
    """A section with a table for each name; places of one kind and reason are one row."""
    room = [_LISTS]
    tables = "".join(_of_name(name, room) for name in ledger.names)
    nameless = "".join(
        f"<p><code>{html_line(pattern)}</code> spells no name: there is nothing to count.</p>"
        for pattern in ledger.nameless
    )
    return (
        f'<section id="ledger" aria-labelledby="ledger-title"><h2 id="ledger-title">{TITLE}</h2>'
        '<p class="quiet">Every place where the rarest name of a pattern stands as a word, in '
        f"{number(ledger.files, 'file')} that the plan could have looked at.</p>"
        f"{tables}{nameless}</section>"
    )


def _of_name(name: LedgerName, room: list[int]) -> str:
    files = number(len({place.path for place in name.places}), "file")
    places = number(len(name.places), "place")
    rows = "".join(_rows(name, room))
    return (
        f"<h3><code>{html_line(name.pattern)}</code>: <code>{html_line(name.name)}</code> stands"
        f' at {places} in {files}</h3><table class="kinds ledger"><thead><tr>'
        '<th class="amount">Places<th>Outcome<th>Why and where</thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _rows(name: LedgerName, room: list[int]) -> Iterator[str]:
    for outcome in OUTCOMES:
        kinds = alike_places(name, outcome)
        for kind in kinds[:SHOWN]:
            yield (
                f'<tr><td class="amount">{len(kind.places):,}<td>{OUTCOME_WORDS[outcome]}'
                f"<td>{_where(kind, room)}"
            )
        if kinds[SHOWN:]:
            places = sum(len(kind.places) for kind in kinds[SHOWN:])
            reasons = number(len(kinds) - SHOWN, "more reason")
            yield f'<tr><td class="amount">{places:,}<td>{OUTCOME_WORDS[outcome]}<td>{reasons}'


def _where(kind: AlikePlaces, room: list[int]) -> str:
    why = "".join(f"<p>{html(text)}</p>" for text in (kind.why, kind.spelling) if text)
    files = number(len({place.path for place in kind.places}), "file")
    places = place_list(((place.path, place.line) for place in kind.places), room, "place")
    return f"{why}<details><summary>in {files}</summary>{places}</details>"
