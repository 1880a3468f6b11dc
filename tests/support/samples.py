"""One small text per language that parses without an error, with every provider."""

from pathlib import Path

from tests.support.cases import all_cases
from tests.support.lists import rows

SAMPLES = dict(rows(Path(__file__).with_suffix(".txt"))["samples"])


def sample(language: str) -> str:
    """The text of a language; of one that has none here, what its first case begins with."""
    if language in SAMPLES:
        return SAMPLES[language]
    case = next(case for case in all_cases() if case.path.parent.name == language)
    return next(iter(case.before.values())).decode()
