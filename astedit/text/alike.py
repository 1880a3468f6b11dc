"""What a word that is unknown was meant to be."""

from collections.abc import Iterable


def meant(names: Iterable[str], value: object) -> str:
    """The start of a hint: the name that is spelled much like `value`; "" if none is."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in names}
    near = get_close_matches(value.casefold(), folded, n=1) if isinstance(value, str) else []
    return f"Did you mean {folded[near[0]]!r}? " if near else ""
