"""What a shell completes: paths, ids of actions, languages, ids of rules.

A question that cannot be answered has no answer; it never prints an error.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from resolve.actions import State

Completions = list["CompletionItem[str]"]
Complete = Callable[[click.Context, click.Parameter, str], Completions]


def _quiet(answer: Complete) -> Complete:
    """A shell that asks has the person's command line on the screen: nothing is said there."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
        try:
            with redirect_stderr(io.StringIO()):
                return answer(ctx, param, incomplete)
        except Exception:  # whatever is wrong is said when the command is run
            return []

    return complete


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """The shell's own way with names of files."""
    return _items([(incomplete, "")], type="file")


def directories(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """The shell's own way with names of directories."""
    return _items([(incomplete, "")], type="dir")


def language_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """The languages, and their aliases once one is begun."""
    from astedit.language import rows

    names = [(row.name, row.label) for row in rows()]
    if incomplete:
        names += [(alias, row.name) for row in rows() for alias in row.aliases]
    return _items(dict(_beginning(names, incomplete)).items())


@_quiet
def pending_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """What is staged, newest first, each with its label."""
    return _action_ids(ctx, ("pending", "applying"), incomplete)


@_quiet
def applied_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """What was applied, newest first: it can be undone."""
    return _action_ids(ctx, ("applied",), incomplete)


@_quiet
def rule_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """The rules of the files that the command line names, else of the project."""
    return _items(_beginning(_rules(ctx), incomplete))


def _action_ids(ctx: click.Context, states: "tuple[State, ...]", incomplete: str) -> Completions:
    from astedit.cli.place import find_place
    from astedit.cli.session import all_short, open_session
    from resolve.visible import one_line

    place, state = find_place(ctx.params.get("root")), ctx.params.get("state_dir")
    with open_session(place, state, announce=False) as session:
        short = all_short(session)
        actions = session.store.list(states)
    names = [(short[action.id], one_line(action.title)) for action in actions]
    if not any(name.startswith(incomplete) for name, _ in names):
        names = [(action.id, one_line(action.title)) for action in actions]
    return _items(_beginning(names, incomplete))


def _rules(ctx: click.Context) -> Iterator[tuple[str, str]]:
    from astedit.cli import request
    from astedit.cli.place import find_place
    from astedit.rule import read_rules

    named = ctx.params.get("files") or ()
    rules = [rule for name in named for rule in read_rules(request.document_of(name), name)]
    if not named:
        place = find_place(ctx.params.get("root"))
        rules = list(request.project(place.workspace, place.below(ctx.params.get("config"))).rules)
    yield from ((rule.id, str(rule.content.get("message") or "")) for rule in rules)


def _beginning(names: Iterable[tuple[str, str]], incomplete: str) -> Iterator[tuple[str, str]]:
    return ((name, about) for name, about in names if name.startswith(incomplete))


def _items(names: Iterable[tuple[str, str]], **settings: Any) -> Completions:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=about or None, **settings) for name, about in names]
