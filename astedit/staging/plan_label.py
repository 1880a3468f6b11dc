"""What a list of actions says of a plan: its label, and counts beside it."""

import re
from collections import Counter
from typing import Any

from astedit.model.plan import Plan
from astedit.model.request import short
from astedit.staging import on_top
from astedit.staging.stored import HANDLER, UNDO
from astedit.text import first_names, number
from astedit.workspace.path_policy import classify
from resolve import PendingAction
from resolve.state import SessionState
from resolve.visible import one_line

_COUNTS = re.compile(r"[\d,]+ (?:of [\d,]+ )?(?:replacement|file)s?\b(?!.* replacements? in).*")
ACTOR = "by"  # in the details of an action
TRYING = "trying"  # likewise: the terminal session in which it was previewed
NAMED = 5  # files of each class that a label names


def label(plan: Plan, of: int | None = None) -> str:
    """`ast_edit: 404 replacements in 161 files`; protected and noted files are named,
    and the packs of its rules.

    Of an operation: `rename: sym:app/main.py::create -> place, 2 replacements in 1 file`,
    and how many possible uses it leaves. Of a part: `ast_edit: 2 of 404 replacements in 1 file`.
    """
    aside = ""
    for path_class in ("protected", "noted"):
        named = [file.path for file in plan.files if classify(file.path) == path_class]
        aside += f", {path_class}: {first_names(named, NAMED)}" if named else ""
    if plan.request.rules:
        from astedit.rule.document import pack_of

        packs = sorted({pack for rule in plan.request.rules if (pack := pack_of(rule))})
        aside += f", packs: {one_line(first_names(packs, NAMED))}" if packs else ""
    what = f"{HANDLER}:"
    if plan.request.operation is not None:
        from astedit.operations import title

        what = f"{one_line(title(plan.request.operation))},"
    left = possible_left(plan)
    return f"{what} {counted(plan, of)}{f', {left}' if left else ''}{aside}"


def details_of(plan: Plan) -> dict[str, Any]:
    """What a list of actions shows beside the label."""
    counts = {"replacements": plan.total_replacements, "files": plan.files_touched}
    base = {} if plan.after is None else {on_top.KEY: plan.after.action_id}
    operation = plan.request.operation  # a label may say anything of the command that ran
    ran = operation.arguments.get("command") if operation else None
    base |= {} if ran is None else {"command": ran}
    draft = operation.arguments.get("draft") if operation else None
    base |= {} if draft is None else {"draft": draft}
    return counts | {"fingerprint": plan.fingerprint, "title": plan.title} | base


def actor(session: SessionState, trying: str | None = None) -> dict[str, Any]:
    """What is noted of who stages, beside the session: each command is a session of its own."""
    return {ACTOR: session.who} | ({} if trying is None else {TRYING: trying})


def described(action: PendingAction, label: str | None = None) -> str:
    """`print($$$A) → log($$$A), 404 replacements in 161 files`, on one line, to be shown.

    `label` is that of a part which was applied.
    """
    label = action.label if label is None else label
    undoes = action.kind == UNDO  # whose label ends with that of what it undoes
    counts = _COUNTS.search(label.partition(" of ")[0] if undoes else label)
    if action.title == action.label or counts is None:
        return one_line(action.title if label == action.label else label)
    return one_line(f"{action.title}, {counts[0]}")


def command_of(action: PendingAction) -> str:
    """`  $ ruff check --fix .` of an action that a command made, to be shown behind its label."""
    command = action.notes.get("command")
    if not isinstance(command, str) or action.title == short(command):
        return ""
    return f"  $ {one_line(command)}"


def possible_left(plan: Plan) -> str:
    """`7 possible uses not changed`; "" if there are none."""
    operation = plan.request.operation
    if operation is None or operation.kind not in ("rename", "remove", "signature"):
        return ""
    from astedit.semantic.listed_uses import count, counted

    left = count(plan.hints)
    return f"{counted(left)} not changed" if left else ""


def counted(plan: Plan, of: int | None = None) -> str:
    files, count = number(plan.files_touched, "file"), plan.total_replacements
    what = number(count, "replacement") if of is None else f"{count:,} of {of:,} replacements"
    named = {"create": "new", "delete": "gone", "move": "moved"}
    counts = Counter[str](file.operation for file in plan.files)
    whole = ", ".join(f"{counts[each]:,} {word}" for each, word in named.items() if counts[each])
    return f"{what} in {files}{f' ({whole})' if whole else ''}"
