"""The packs that come with astedit: rule files below this directory, by name."""

from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_TWINS = {"typescript": "javascript", "tsx": "javascript"}  # one pack for the three


@cache
def _rule_files() -> dict[str, str]:
    return {
        path.relative_to(_HERE).with_suffix("").as_posix(): str(path)
        for path in sorted(_HERE.rglob("*.yml"))
        if not path.name.endswith("-test.yml")
    }


def files(name: str) -> list[tuple[str, str]]:
    """The rule files of a pack or group, such as `clean/java/booleans`: their names and paths.

    A group is a directory, or a file without its suffix; there are none of any other name.
    """
    name = "/".join(_TWINS.get(part, part) for part in name.split("/"))
    return [each for each in _rule_files().items() if f"{each[0]}/".startswith(f"{name}/")]


def names() -> list[str]:
    """The groups there are."""
    return [*_rule_files()]
