"""Bash."""

from astedit.language.facts import Facts, Spelling
from astedit.language.traits import Traits

_CONTEXTS = """
a case of a case statement | case x in … esac
a test | if …; then :; fi
a word | echo …
"""

LANGUAGE = Traits(
    facts=Facts.of(
        # A redirect holds the whole heredoc; `heredoc_body` leaves out the first indent.
        "string raw_string ansi_c_string translated_string heredoc_redirect heredoc_body",
        "#",
        blocks="do_group compound_statement subshell if_statement elif_clause else_clause",
        placeholder=":",
        blank_lists="array",
    ),
    contexts=_CONTEXTS,
    spelling=Spelling(sigils=True),
)
