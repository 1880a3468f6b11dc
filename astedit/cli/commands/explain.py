"""`astedit explain`: how a pattern is read, and what to write instead."""

from collections.abc import Iterator
from typing import Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.model.explanation import Explanation

_EPILOG = "Example: astedit explain -l go -p 'fmt.Println($A)' main.go:12"


@click.command(epilog=_EPILOG)
@options.one_pattern
@options.pattern
@options.as_json
@options.any_root
@click.argument("file", required=False, metavar="[FILE[:LINE]]")
def command(pattern: str, file: str | None, **flags: Any) -> int:
    """Show how a pattern is read, and what to write instead.

    With a FILE, the language is that file's; with a LINE, what stands there is shown too.
    """
    from astedit.api import explain
    from astedit.cli.request import text_of

    as_json = flags.pop("as_json")
    found = explain(text_of(pattern), file, **flags)
    if as_json:
        streams.document(found.to_json())
    else:
        streams.texts(_lines(found))
    return 0


def _lines(found: Explanation) -> Iterator[str]:
    for use in found.languages:
        yield f"{use.name}: {use.dropped or f'{use.grammar} {use.version}'}"
    yield from found.tree.splitlines()
    if found.captures:
        yield "captures: " + ", ".join(found.captures)
    said = [use.dropped for use in found.languages if use.dropped]
    for warning in found.warnings:
        text = warning.message
        for each in said:
            text = text.removeprefix(each).strip()
        if text:
            yield f"warning: {text}"
    for one in found.suggestions:
        yield f"{one.language}: {one.message}"
