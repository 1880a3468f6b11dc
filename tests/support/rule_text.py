"""Rules from short texts, on JavaScript."""

from astedit.language import load, named
from astedit.rule import (
    Globals,
    RuleFinder,
    compile_document,
    compile_globals,
    read_rules,
    read_utilities,
)

_FOUND = named("javascript")
assert _FOUND is not None
JAVASCRIPT = _FOUND


def finder(text: str, globals: Globals | None = None) -> RuleFinder:
    """The rule whose file continues `text`."""
    rule = read_rules(f"id: case\nlanguage: js\n{text}\n".encode())[0]
    return compile_document(rule, JAVASCRIPT, globals)


def utilities(*texts: str) -> Globals:
    whole = "\n---\n".join(f"language: js\n{text}" for text in texts)
    return compile_globals(read_utilities(whole.encode()), JAVASCRIPT)


def find(text: str, source: str, globals: Globals | None = None) -> list[str]:
    """The texts of a rule's matches, each with its captures."""
    raw = source.encode()
    found = []
    for match in finder(text, globals).find(load(JAVASCRIPT).parser().parse(raw).root_node, raw):
        names = sorted(match.single.items())
        words = [match.node, *(node for _, node in names)]
        texts = [(node.text or b"").decode() for node in words]
        pairs = zip(names, texts[1:], strict=True)
        found.append(" ".join([texts[0], *(f"{name}={one}" for (name, _), one in pairs)]))
    return found
