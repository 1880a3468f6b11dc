"""`astedit tools`: the tools for agents, as a model provider wants them declared."""

import click

from astedit.cli import options
from astedit.cli.output import streams

_FORMATS = ("anthropic", "openai", "google")


@options.command("tools --format openai")
@click.option("--format", "form", type=click.Choice(_FORMATS), default=_FORMATS[0])
@options.pager
@options.any_root
def command(form: str) -> int:
    """Print the tools for agents in a provider's format.

    The JSON list is what stands under `tools` in a request to that provider.
    """
    from astedit.agents.tools.specs import in_format, toolset

    streams.document(in_format(toolset(), form))
    return 0
