"""What tests share: no module in here has tests of its own."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
