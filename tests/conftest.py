"""`pytest --accept` writes what the engine does into the fixtures; never in CI."""

import gc
import os

import pytest

# Collecting makes a million objects that all live to the end: looking for garbage among them
# was a third of its time, in each of the two processes.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept", action="store_true", help="rewrite the (after) parts of the fixtures"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--accept") and os.environ.get("CI"):
        raise pytest.UsageError("--accept is for people: it is refused where CI is set.")
