"""Why nothing has a name, and where to look instead. Costs nothing until nothing is found."""

from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.result import KINDS

_FALLBACK = "`astedit search -p …` finds code by its structure."


def explained(inventory: Inventory, parsed: Identifier, hint: str | None) -> str:
    """The message of an answer that names nothing."""
    if parsed.wildcard and parsed.id is None:
        wildcard = f"the wildcard `{parsed.wildcard}`"
        return f"{parsed.text!r} has {wildcard}, and a name has none. {_FALLBACK}"
    shapes = [kind for kind in KINDS if parsed.asks_for(kind)]
    if not shapes:
        return f"{parsed.text!r} is no name of a symbol, route or client. {_FALLBACK}"
    if hint is not None and hint not in shapes:
        return f"{parsed.text!r} does not have the shape of a {hint}. {_FALLBACK}"
    kinds = [hint] if hint else shapes
    parts = [f"No {' or '.join(kinds)} is named {parsed.text!r}."]
    if "symbol" in kinds and parsed.name:
        from astedit.locating.reexports import reexported

        if advice := reexported(inventory, parsed.name):
            return f"{parts[0]} {advice}"
        if unread := inventory.unread_languages():
            parts.append(f"There is no symbol query for {', '.join(unread)}.")
    if "route" in kinds and parsed.path:
        from astedit.locating.web import near_misses

        if near := near_misses(inventory, parsed):
            parts.append(near)
    return " ".join([*parts, _FALLBACK])
