"""`astedit explain`: how a pattern is read, and what to write instead."""

from collections.abc import Iterator
from typing import Any

import click

from astedit.cli import completions, options
from astedit.cli.flags import required
from astedit.cli.output import streams
from astedit.model.explanation import Explanation


@options.command("explain -l go -p 'fmt.Println($A)' main.go:12")
@options.one_pattern
@options.pattern
@options.pager
@options.as_json
@options.any_root
@click.argument("file", required=False, metavar="[FILE[:LINE]]", shell_complete=completions.files)
def command(pattern: str | None, file: str | None, **flags: Any) -> int:
    """Show how a pattern is read, and what to write instead.

    With a FILE, the language is that file's; with a LINE, it shows the code there, too.
    """
    from astedit.cli.request import text_of
    from astedit.interface.functions import explain

    as_json = flags.pop("as_json")
    pattern = required("explain", pattern, [file] if file else [])
    explanation = explain(text_of(pattern), file, **flags)
    streams.answer(explanation.to_json(), _lines(explanation), as_json=as_json)
    return 0


def _lines(explanation: Explanation) -> Iterator[str]:
    for use in explanation.languages:
        yield f"{use.name}: {use.dropped or f'{use.grammar} {use.version}'}"
    yield from explanation.tree.splitlines()
    if explanation.captures:
        yield "captures: " + ", ".join(explanation.captures)
    dropped = [use.dropped for use in explanation.languages if use.dropped]
    for warning in explanation.warnings:
        text = warning.message
        for reason in dropped:
            text = text.removeprefix(reason).strip()
        if text:
            yield f"warning: {text}"
    for suggestion in explanation.suggestions:
        yield f"{suggestion.language}: {suggestion.message}"
