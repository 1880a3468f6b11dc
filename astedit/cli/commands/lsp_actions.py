"""`astedit lsp-actions`: what a language server offers to do somewhere."""

import click

from astedit.cli import language_server, options
from astedit.cli.output import streams
from astedit.cli.place import find_place
from astedit.programs import ANY
from resolve.visible import one_line


@options.command("lsp-edit actions src/cart.ts:4-9 --kind refactor")
@click.argument("target", metavar="FILE[:RANGE]")
@click.option("--kind", metavar="KIND", help="Such as refactor, quickfix, source.organizeImports.")
@click.option("--server", metavar="CMD", help="As for lsp-rename.")
@options.bounds
@options.as_json
@options.root
def command(
    target: str,
    kind: str | None,
    server: str | None,
    timeout: float | None,
    jobs: int | None,
    as_json: bool,
    root: str | None,
) -> int:
    """List the code actions of a language server, with their fingerprints.

    RANGE is LINE, LINE:COL or LINE:COL-LINE:COL, from 1; without it the whole file is meant.
    """
    language_server.require_client()
    from astedit.engine.run_context import Run
    from astedit.limits import Deadline
    from astedit.producers.lsp_question import listed_actions

    place = find_place(root)
    path, at = language_server.placed(target, place)
    run = Run(deadline=Deadline(timeout), commands=ANY)
    words = language_server.server_for(path, server, place)
    actions = listed_actions(words, path, at, kind, place.workspace, run)
    if as_json:
        streams.document({"schema": "astedit/actions/1", "actions": actions})
    else:
        streams.texts(
            one_line(f"{each['fingerprint']}  {each['kind']:<24}  {each['title']}")
            for each in actions
        )
    return 0 if actions else 1
