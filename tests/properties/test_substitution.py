"""What edits make is read as their template with everything in brackets. Run with `-m slow`.

A parser of the language is asked that knows nothing of ours; where it is not installed, the
test is skipped with its name.
"""

from pathlib import Path

import pytest

from tests.support.substitution.matrix import PARSERS, measured, prepared

CELLS = 1000
MOST_NEEDLESS = 0.05  # of the cells: `a + b` as a statement is refused by compilers alone


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", sorted(PARSERS))
def test_edits_are_read_as_what_was_meant(language: str, tmp_path: Path) -> None:
    parser = PARSERS[language]
    if lacking := prepared(parser, tmp_path):
        pytest.skip(lacking)
    tally = measured(language, parser, tmp_path, 1, CELLS)
    wrong = tally.texts.get("wrong", []) + tally.texts.get("does not parse", [])
    assert len(wrong) <= KNOWN.get(language, 0), "\n".join([str(tally.counts), *wrong[:20]])
    assert tally.counts["blocked needlessly"] <= MOST_NEEDLESS * CELLS, tally.counts


# syn does not read `a.. =>`, which rustc takes.
KNOWN = {"rust": 1}
