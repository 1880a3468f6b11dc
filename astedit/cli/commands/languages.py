"""`astedit languages`: what can be parsed here."""

from collections.abc import Iterator

import click

from astedit.cli import options
from astedit.cli.help_page import HelpPage
from astedit.cli.output import streams
from astedit.model.plan import Language


@click.command(cls=HelpPage, epilog="Example: astedit languages --json")
@options.pager
@options.as_json
@options.any_root
def command(as_json: bool) -> int:
    """List the languages and where their grammars come from."""
    from astedit.language import languages

    known = languages()
    if as_json:
        streams.document([language.to_json() for language in known])
    else:
        streams.texts(_lines(known))
    return 0


def _lines(known: list[Language]) -> Iterator[str]:
    for one in known:
        names = ", ".join([one.name, *one.aliases])
        suffixes = " ".join(f".{suffix}" for suffix in one.suffixes)
        origin = one.problem or f"{one.provider} {one.version}"
        yield f"{names:<30} {suffixes:<40} {origin}"
