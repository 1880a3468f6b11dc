"""H9: random kills, and directories swapped while an apply runs, by the thousand."""

from pathlib import Path

import pytest

from tests.support.faults.soak import Soak


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand_random_kills(tmp_path: Path) -> None:
    soak = Soak(tmp_path, seed=20)
    wrong = soak.run(1000)
    print(f"apply {soak.whole:.2f} s, of it writing {soak.window:.2f} s: {dict(soak.seen)}")
    assert wrong == []
    assert soak.seen["interrupted inside the window"] >= 200
    assert soak.seen["mixed before the recovery"] > 0
