"""The help of a command: an example first, options in groups, as wide as the terminal."""

from typing import Any

import click

from astedit.cli.output import streams

# What of the options belongs together, by the names of their parameters. What no row names
# is what the command is about, and comes first.
GROUPS = {
    "How the pattern is read": """
        lang strictness selector context where where_kind no_near near allow_error_pattern""",
    "Which files": """
        glob within body_only encoding max_file_size no_ignore changed stdin stdin_filename""",
    "How code is rewritten": """
        overlap reindent layout add_import remove_import prune_imports fixpoint allow_loss""",
    "When to give up": """
        fail_on_parse_error fail_on_blocked fail_on_dropped_comments allow_partial
        allow_protected max_files max_replacements expect expect_files timeout jobs""",
    "What becomes of it": "check no_stage apply reason after replaces",
    "What is printed": """
        style form before_lines after_lines around_lines files_with_matches counts limit
        stat quiet as_json no_pager""",
    "Where": "root state_dir",
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}
_FIRST = "Options"
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 1_000}
"""What the outermost command says for all: click alone stops at 80 columns."""

NO_PAGER = "astedit.no_pager"  # under which a context keeps that no command shall page


class ExampleFirst(click.Command):
    """Help that begins with the example, and goes through the pager where it is long."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes nothing: the example stands above."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option


class HelpPage(ExampleFirst):
    """The same with the options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (_FIRST, *GROUPS)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                rows[_GROUP_OF.get(param.name or "", _FIRST)].append(record)
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _show_help(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        streams.page()
        streams.text(ctx.get_help())
        streams.flush()
        ctx.exit()
