"""How a language is written, as far as the doctor's repairs of a pattern need to know."""

_SEMICOLONS = "c cpp csharp css dart java javascript nix php rust solidity sql tsx typescript zig"
SEMICOLONS = frozenset(_SEMICOLONS.split())
"""Statements and members end in `;`, which may or may not belong to the node meant."""

SIGILS = frozenset({"bash", "php"})
"""`$a` is a variable of the language, not a metavariable spelled wrong."""

NAMED_VARIABLES = frozenset({"php"})
"""Where a variable is declared or assigned, a metavariable cannot stand for it."""

Change = tuple[str, str, str]  # what it is for, a regular expression, its replacement

_END = ("\n$$$BODY\nend",)
_BODIES = {"ruby": _END, "lua": _END, "elixir": _END, "json": (), "yaml": (), "toml": ()}

_TYPES = ("With type arguments", r"\(", "<$$$TYPES>(")
_JAVASCRIPT = (
    ("With optional chaining", r"\(", "?.("),
    ("With optional chaining", r"\.", "?."),
    ("As a generator", r"\bfunction ", "function* "),
)
_TYPESCRIPT = (
    *_JAVASCRIPT,
    _TYPES,
    ("With a return type", r"\)\s*\{", "): $TYPE {"),
    ("With a return type", r"\)\s*=>", "): $TYPE =>"),
)
_WIDER: dict[str, tuple[Change, ...]] = {
    "cpp": (_TYPES,),
    "csharp": (_TYPES,),
    "java": (_TYPES,),
    "javascript": _JAVASCRIPT,
    "kotlin": (_TYPES,),
    "python": (("With a return type", r"\)\s*:", ") -> $TYPE:"),),
    "rust": (("With type arguments", r"\(", "::<$$$TYPES>("),),
    "scala": (("With type arguments", r"\(", "[$$$TYPES]("),),
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
}
_REQUIRED: dict[str, tuple[Change, ...]] = {
    "json": (
        (
            "JSON has no bare words, so a hole stands inside quotes",
            r'(?<!["$\w])(\$[A-Z_][A-Z0-9_]*)(?!["\w])',
            r'"\1"',
        ),
    ),
}


def bodies(language: str) -> tuple[str, ...]:
    """What may be missing after the head of a definition or statement."""
    return _BODIES.get(language, (" $$$BODY", ": $$$BODY", " { $$$BODY }"))


def wider(language: str) -> tuple[Change, ...]:
    """Changes to a pattern after which it matches code that people forget about."""
    return _WIDER.get(language, ())


def required(language: str) -> tuple[Change, ...]:
    """Changes without which a metavariable cannot stand in certain places."""
    return _REQUIRED.get(language, ())
