"""The patterns of the differential suite, as people write them, language by language."""

from pathlib import Path

from tests.support.differential.oracle import Query
from tests.support.lists import lists, rows

_PLAIN = lists(Path(__file__).with_suffix(".txt"))
_QUERIES = rows(Path(__file__).with_name("queries.txt"))

FRUITLESS = tuple(Query(*row) for row in _QUERIES["fruitless"])
PATTERNS: tuple[Query, ...] = (
    *(Query(language, text) for language, texts in _PLAIN.items() for text in texts),
    *(Query(*row[:2], selector=row[2], context=row[3]) for row in _QUERIES["in context"]),
)

# Every node of a file: for small files.
ANYTHING = tuple(Query(language, hole) for language in _PLAIN for hole in ("$A", "$$A", "$_"))
