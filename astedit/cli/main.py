"""The group of commands: each is imported when it is asked for."""

import os
import sys
from importlib import import_module

import click

from astedit.cli.options import HELP_ALL, NO_PAGER, SETTINGS, CommandGroup
from astedit.cli.output import streams
from astedit.errors import not_unicode

COMMANDS = {
    "edit": "Preview a structural edit and stage it; nothing is written.",
    "scan": "Run YAML rules; print their findings, or stage their fixes.",
    "search": "Find code by its structure.",
    "explain": "Show how a pattern is read, and what to write instead.",
    "locate": "Say which symbol, route or client a name means.",
    "languages": "List the languages and where their grammars come from.",
    "capture": "Stage what a command (behind --) changes in a sandbox.",
    "draft": "Run a program in its own view of the tree; stage what it changed.",
    "lsp-edit": "Rename or apply a code action with a language server.",
    "flag": "Remove a feature flag and all code that depends on it.",
    "learn": "Learn a rule from examples, and preview what else it would change.",
    "pending": "List what is staged, newest first.",
    "show": "Show a staged or resolved action.",
    "review": "Decide about the edits of a staged plan.",
    "stage": "Check a plan or a patch from elsewhere and stage it.",
    "prove": "Run a command (behind --) with a staged plan.",
    "land": "Make commits from a staged plan.",
    "apply": "Apply staged actions; without ID the newest.",
    "discard": "Discard staged actions; without ID the newest.",
    "resolve": "Apply or discard a staged action.",
    "undo": "Stage the inverse of an applied action.",
    "approve": "Give a person's approval, where the policy needs one.",
    "recover": "Finish or take back an apply that was interrupted.",
    "log": "List every resolution, newest first.",
    "campaign": "Plan one request for many repositories, then apply or land it.",
    "resident": "Start, show or stop the process that answers commands.",
    "mcp": "Serve agents over the Model Context Protocol.",
    "agents": "Install astedit in agents' clients, or remove it.",
    "hook": "Check an agent's own edits, before its client makes them.",
    "lsp": "Serve an editor: rules on unsaved text, fixes and plans.",
    "test": "Test rules against code that they must, or must not, report.",
    "new": "Start a project of rules, a rule, a test or a utility.",
    "pack": "Use and share packs of rules, pinned by a lock.",
    "schema": "Print the JSON schema of a document.",
    "tools": "Print the tools for agents in a provider's format.",
    "completion": "Print the completion script of a shell.",
}
"""Every command that is no operation, and its one line.

Its module is `astedit.cli.commands.<name>` (`_` for `-`), which has a function `command`, or
`_WITHIN` says where it is.
"""
GROUPS = {
    "Change": """
        edit rename move remove signature extract inline set-path codemod capture flag learn
        stage""",
    "Find": "search scan explain locate",
    "Decide": "pending show review apply discard undo approve log",
    "Prove and land": "prove land campaign",
    "Rules and packs": "test new pack",
    "Agents and editors": "mcp agents hook draft lsp lsp-edit",
    "Set up": "languages recover completion",
}
"""The groups of the help, in this order; what no group names stands under --help-all."""
_LAST = "More"
# Older names, which go on working and are not listed, and names of a verb each: the module and
# the name of the command in it.
_WITHIN = {
    "lsp-rename": ("lsp_edit", "rename"),
    "lsp-actions": ("lsp_edit", "actions"),
    "lsp-apply": ("lsp_edit", "apply"),
    "apply": ("resolve", "apply"),
    "discard": ("resolve", "discard"),
}
_OLDER_KINDS = {"move_module"}


_COMPLETE = "_ASTEDIT_COMPLETE"


def every_command() -> dict[str, str]:
    """Every command and its one line, the operations among them, but for older names."""
    from astedit.operations import kinds, operation

    names = (kind for kind in kinds() if kind not in _OLDER_KINDS)
    return COMMANDS | {kind.replace("_", "-"): operation(kind).summary for kind in names}


class Commands(CommandGroup):
    """Imports a command's module on demand: `search` must not pay for `resolve`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(every_command())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = cmd_name.replace("-", "_")
        if cmd_name not in COMMANDS and cmd_name not in _WITHIN:
            return _operation(name) if "_" not in cmd_name else None
        module, attribute = _WITHIN.get(cmd_name, (name, "command"))
        command: click.Command = getattr(import_module(f"astedit.cli.commands.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = every_command()
        groups = {title: names.split() for title, names in GROUPS.items()}
        if ctx.meta.get(HELP_ALL):
            grouped = {name for names in groups.values() for name in names}
            groups[_LAST] = [name for name in rows if name not in grouped]
        for title, names in groups.items():
            records = [(name, rows[name]) for name in names if name in rows]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _operation(kind: str) -> click.Command | None:
    from astedit import operations

    if kind not in operations.kinds():
        return None
    from astedit.cli import operation

    return operation.command(operations.operation(kind))


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    if context.params["verbose"]:
        from astedit.cli.commands import languages

        streams.texts(languages.lines())
    else:
        from astedit.version import __version__

        streams.texts([f"astedit {__version__}"])
    context.exit()


@click.command(
    cls=Commands,
    epilog="Example: astedit edit -p 'print($$$A)' -r 'log($$$A)' src",
    context_settings=SETTINGS,
)
@click.option("--verbose", is_flag=True, is_eager=True, help="With --version: all versions.")
@click.option("--version", is_flag=True, callback=_print_version, help="Show the version.")
@click.option("--no-pager", is_flag=True, help="Do not hand long output to the pager.")
@click.option("--no-resident", is_flag=True, expose_value=False, help="Run in this process.")
@click.pass_context
def astedit(ctx: click.Context, verbose: bool, version: bool, no_pager: bool) -> None:
    """Plan and apply for code: preview a structural change, then resolve it."""
    ctx.meta[NO_PAGER] = no_pager


def run(args: list[str]) -> int:
    """Runs one command line and returns the exit code; errors are printed, never raised."""
    try:
        if _COMPLETE in os.environ:  # a shell asks; click answers and exits
            from astedit.cli.commands import completion

            completion.register()
            astedit.main(args, prog_name="astedit", complete_var=_COMPLETE)
        code = _command(args)
        streams.flush()
    except BrokenPipeError:
        streams.abandon_stdout()
        return 0
    except SystemExit as ended:
        code = ended.code
    except BaseException as error:
        return _failed(error, as_json=_wants_json(args))
    return code if isinstance(code, int) else 0


def _command(args: list[str]) -> object:
    """What click's `main` does, less its own way with broken pipes (exit 1)."""
    try:
        with astedit.make_context("astedit", args, obj=run) as context:
            return astedit.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code


def _failed(error: BaseException, *, as_json: bool) -> int:
    from astedit.cli.output import failure

    if isinstance(error, UnicodeEncodeError):  # of an argument that is not UTF-8
        error = not_unicode(error)
    code = failure.exit_code(error)
    expected = isinstance(getattr(error, "code", None), str) or isinstance(error, OSError)
    if not expected and code == 5 and sys.stderr is not None:  # a bug of ours
        from traceback import print_exc  # loads what only a bug needs

        print_exc(file=sys.stderr)
    try:
        failure.report(error, as_json=as_json)
        streams.flush()
    except OSError:  # stdout itself is what failed
        streams.abandon_stdout()
        if as_json:
            failure.report(error, as_json=False)
    return code


def _wants_json(args: list[str]) -> bool:
    options = args[: args.index("--")] if "--" in args else args
    return any(arg == "--json" or arg.startswith("--json=") for arg in options)
