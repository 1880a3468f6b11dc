"""Each row of the table has the rest of its language in one place: a file, or an entry."""

import subprocess
import sys
from pathlib import Path

import pytest

import astedit.language.traits
from astedit.language import rows
from astedit.language.traits import Traits, traits
from astedit.language.traits.plain import LANGUAGES


def test_each_row_has_a_file_or_an_entry() -> None:
    folder = Path(astedit.language.traits.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "plain"}
    assert sorted([*files, *LANGUAGES]) == [row.name for row in rows()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_a_file_holds_the_traits_of_its_language(row) -> None:
    assert isinstance(traits(row.name), Traits)
    assert traits(row.name) is traits(row.name)


@pytest.mark.parametrize("name", ["cobol", "py", "__init__", "plain", "..table", ""])
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
