"""The packs that come with astedit: rule files below this directory, by name."""

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
_TWINS = {"typescript": "javascript", "tsx": "javascript"}  # one pack for the three


def directory(name: str) -> str | None:
    """The absolute path of a shipped pack or group, such as `clean/java/booleans`.

    A group is a directory, or a file without its suffix. None: there is none of this name.
    """
    parts = [_TWINS.get(part, part) for part in name.split("/")]
    if not all(part.replace("-", "").isalnum() for part in parts):
        return None  # nothing that leads elsewhere
    path = os.path.join(_HERE, *parts)
    return next((place for place in (path, f"{path}.yml") if os.path.exists(place)), None)


def files(name: str) -> list[tuple[str, str]]:
    """The rule files of a shipped pack or group: the name of each, and its path."""
    place = directory(name)
    if place is None:
        return []
    paths = [place]
    if os.path.isdir(place):
        paths = sorted(
            os.path.join(above, file)
            for above, _, names in os.walk(place)
            for file in names
            if file.endswith(".yml") and not file.endswith("-test.yml")
        )
    return [(os.path.relpath(path, _HERE).removesuffix(".yml"), path) for path in paths]


def names() -> list[str]:
    """The groups there are."""
    return [name for top in ("clean", "flags") for name, _ in files(top)]
