"""Each row of the table has one file with the rest of the language, and each file a row."""

import subprocess
import sys
from pathlib import Path

import pytest

import astedit.language.traits
from astedit.language import rows
from astedit.language.traits import Traits, traits


def test_rows_and_files_are_the_same_languages() -> None:
    folder = Path(astedit.language.traits.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert files == {row.name for row in rows()}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_a_file_holds_the_traits_of_its_language(row) -> None:
    assert isinstance(traits(row.name), Traits)
    assert traits(row.name) is traits(row.name)


@pytest.mark.parametrize("name", ["cobol", "py", "__init__", "..table", ""])
def test_only_names_of_rows_are_imported(name: str) -> None:
    with pytest.raises(KeyError):
        traits(name)


PROBE = """
import sys
from astedit.language.traits import traits
def loaded(): return {name.rpartition(".")[2] for name in sys.modules if ".traits." in name}
assert loaded() == set(), loaded()
traits("python")
assert loaded() == {"python"}, loaded()
traits("typescript")
assert loaded() == {"python", "typescript", "tsx", "javascript"}, loaded()
"""


def test_only_the_files_that_are_needed_are_imported() -> None:
    subprocess.run([sys.executable, "-c", PROBE], check=True)
