"""How a language is written, as far as the doctor's repairs of a pattern need to know."""

from typing import NamedTuple


class Respelling(NamedTuple):
    """A change to a pattern's text, and what the change is for.

    `before` is a regular expression, `after` its replacement.
    """

    reason: str
    before: str
    after: str


class Spelling(NamedTuple):
    """What the doctor may try with a pattern that is not right.

    `semicolons`: statements and members end in `;`, which may or may not belong to the node
    that the pattern means. `sigils`: `$a` is a variable of the language, so it is no
    metavariable in the wrong case. `named_variables`: no metavariable can stand where a
    variable is declared or assigned. `bodies` may be missing after the head of a definition
    or statement. After one of the changes in `wider` a pattern matches code that people
    forget. Without those in `required` a metavariable cannot stand in certain places.
    """

    semicolons: bool = False
    sigils: bool = False
    named_variables: bool = False
    bodies: tuple[str, ...] = (" $$$BODY", ": $$$BODY", " { $$$BODY }")
    wider: tuple[Respelling, ...] = ()
    required: tuple[Respelling, ...] = ()


END = ("\n$$$BODY\nend",)  # the body of a language whose blocks end with a word
TYPE_ARGUMENTS = Respelling("With type arguments", r"\(", "<$$$TYPES>(")
