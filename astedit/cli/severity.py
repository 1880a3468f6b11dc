"""`scan --error[=ID]` and its kin: other severities than those the rules have."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from astedit.cli import completions

if TYPE_CHECKING:
    from astedit.rule import Document
    from astedit.rule.failure import TurnedOff

SEVERITIES = ("error", "warning", "info", "hint", "off")  # of two for one rule the last counts


class Severities(NamedTuple):
    """Ids of rules by the flag that names them; "" is every rule."""

    error: tuple[str, ...] = ()
    warning: tuple[str, ...] = ()
    info: tuple[str, ...] = ()
    hint: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


def overrides(command: Callable[..., Any]) -> Callable[..., Any]:
    """A flag a severity: `--error` for all rules, `--error=ID` for one; may be repeated."""
    for name in reversed(SEVERITIES):
        said = "Leave out" if name == "off" else f"Report as {name}:"
        says = f"{said} all rules, or the one with this id."
        command = click.option(
            f"--{name}",
            multiple=True,
            metavar="[=ID]",
            help=says,
            shell_complete=completions.rule_ids,
        )(command)
    return command


def overridden(rules: "Iterable[Document]", severities: Severities) -> "list[Document]":
    """The rules with the severities that the flags give them; an id goes before all."""
    chosen = _chosen(severities)
    return [_with(rule, chosen.get(rule.id, chosen.get(""))) for rule in rules]


def silences(severities: Severities) -> bool:
    """Whether rules were turned off: then a comment that silences nothing may be theirs."""
    return bool(severities.off)


def unknown(rules: "Iterable[Document]", severities: Severities, off: "TurnedOff") -> Iterator[str]:
    """A line for every flag that names a rule there is not, or one that is wrong."""
    from astedit.rule.suppression import ABOUT

    known = {"", *ABOUT, *(rule.id for rule in rules), *(error.rule for error in off.wrong)}
    yield from (f"{error.path}: {error.message}; it is off." for error in off.wrong)
    for severity in SEVERITIES:
        for id in getattr(severities, severity):
            if id not in known:
                yield f"--{severity}={id}: no rule has this id"


def of_suppressions(severities: Severities, whole: bool) -> dict[str, str]:
    """How severe it is what is said about suppression comments, by its id.

    That one silences nothing is said where all rules run (`whole`), that one is about
    every rule only where a flag asks for it.
    """
    from astedit.rule.suppression import ABOUT

    chosen = _chosen(severities)
    usual = ("hint" if whole else "off", "off")
    return {id: chosen.get(id, chosen.get("", one)) for id, one in zip(ABOUT, usual, strict=True)}


def _chosen(severities: Severities) -> dict[str, str]:
    return {id: severity for severity in SEVERITIES for id in getattr(severities, severity)}


def _with(rule: "Document", severity: str | None) -> "Document":
    if severity is None:
        return rule
    return replace(rule, severity=severity, content={**rule.content, "severity": severity})
