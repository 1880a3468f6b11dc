"""`pytest --accept` writes what the engine does into the fixtures; never in CI."""

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept", action="store_true", help="rewrite the (after) parts of the fixtures"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--accept") and os.environ.get("CI"):
        raise pytest.UsageError("--accept is for people: it is refused where CI is set.")
