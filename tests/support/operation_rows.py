"""The table of operations in the reference, made of their descriptors.

python -m tests.support.operation_rows
"""

import re
from collections.abc import Iterator

import click

from astedit.cli import options
from astedit.cli.main import astedit
from astedit.operations import Descriptor, kinds, operation

HEAD = """\
| command | Python | what it does |
|---|---|---|
"""


@options.pager
@options.operating
def _nothing() -> None: ...


SHARED = {param.name for param in click.command(_nothing).params} | {"help"}


def table() -> str:
    """The rows of all operations, by name."""
    return HEAD + "".join(row(operation(kind)) for kind in kinds())


def row(of: Descriptor) -> str:
    """One operation: how it is called on the command line and in Python, and what it does."""
    required = [each.name for each in of.inputs if not each.is_option]
    more = [f"{each.name}=" for each in of.inputs if each.is_option]
    what = f"{of.summary} {' '.join(of.details)}"
    call = f"`astedit.{of.kind}({', '.join([*required, *more])})`"
    return f"| {usage(of.kind.replace('_', '-'))} | {call} | {what} |\n"


def usage(name: str) -> str:
    """`astedit move IDENT... DEST [--reexport]`, without what all operations take."""
    context = click.Context(astedit)
    command = astedit.get_command(context, name)
    assert command is not None
    own = [one for one in command.params if one.name not in SHARED]
    words = [" ".join(_words(one, context)) for one in own]
    return f"`{' '.join(['astedit', name, *words])}`".replace("|", r"\|")


def _words(parameter: click.Parameter, context: click.Context) -> Iterator[str]:
    if isinstance(parameter, click.Option):
        shown = "" if parameter.is_flag else f" {parameter.metavar}"
        yield f"[{parameter.opts[0]}{shown}]"
    else:
        yield parameter.make_metavar(context)


def written(text: str) -> str:
    """The table as it stands in a page."""
    match = re.search(re.escape(HEAD) + r"(?:\|.*\n)*", text)
    return match[0] if match else ""


if __name__ == "__main__":
    print(table(), end="")
