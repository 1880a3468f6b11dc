"""A file that a compiler reads before random edits, it reads after them.

Run with `pytest -m slow`. What is not installed is skipped, with the program's name.
"""

import subprocess
from pathlib import Path

import pytest

from benchmarks.packages import Unavailable
from tests.support.compiling.compilers import COMPILERS, missing
from tests.support.compiling.real_files import files_of
from tests.support.compiling.rewrites import REWRITES
from tests.support.compiling.trials import measured, readable
from tests.support.patience import LAST

EDITS = 1500


@pytest.mark.slow
@pytest.mark.timeout(900)  # PHP's is started once for each file
@pytest.mark.parametrize("language", sorted(COMPILERS))
def test_what_compiles_before_compiles_after(language: str, tmp_path: Path) -> None:
    compiler = COMPILERS[language]
    if missing(compiler):
        pytest.skip(f"not installed: {', '.join(missing(compiler))}")
    try:
        texts = files_of(language, compiler.suffix)
    except Unavailable as error:
        pytest.skip(str(error))
    if compiler.npm:
        _install(compiler.npm, tmp_path)
    usable = readable(compiler, texts[:: max(1, len(texts) // 300)], tmp_path)
    if not texts:
        pytest.skip(f"no file in {language} is installed here")
    assert len(usable) > 20
    tally = measured(language, compiler, REWRITES[language], usable, tmp_path, 1, EDITS)
    assert not tally.refused, f"{tally}\n" + "\n".join(tally.refused[:5])


def _install(packages: tuple[str, ...], folder: Path) -> None:
    command = ["npm", "install", "--silent", *packages]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LAST)
    if done.returncode:
        pytest.skip(f"npm cannot install {packages}: {done.stderr[-200:]}")


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(COMPILERS))
def test_a_compiler_refuses_what_is_wrong(language: str, tmp_path: Path) -> None:
    """The oracle bites."""
    compiler = COMPILERS[language]
    if missing(compiler):
        pytest.skip(f"not installed: {', '.join(missing(compiler))}")
    if compiler.npm:
        _install(compiler.npm, tmp_path)
    head = b"<?php\n" if language == "php" else b""
    assert readable(compiler, [head + b"a = (1 + ;\n"], tmp_path) == []
