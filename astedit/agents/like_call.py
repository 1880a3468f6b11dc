"""`ast_edit` with `like`: what was done in one plan, everywhere else."""

from collections.abc import Mapping
from typing import Any

from astedit.agents.reply import Reply, ToolCall
from astedit.agents.text.budget import quoted
from astedit.engine.run_context import Run
from astedit.errors import RequestError
from astedit.learning.examples import of_plan
from astedit.learning.learning import Learning
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.model.request import checked_title
from astedit.staging.open_workspace import ServedStack
from astedit.text import number
from astedit.workspace.root import Workspace, state_dir
from resolve import Session
from resolve.visible import one_line

_WITH_LIKE = frozenset({"like", "questions", "token", "answers", "replace", "title"})
_RULE_LINES = 24  # that are shown


def like(
    values: Mapping[str, Any], call: ToolCall, served: ServedStack, session: Session
) -> tuple[Reply, Plan | None]:
    """The plan with what is to be told beside it; or questions, and no plan."""
    strange = values.keys() - _WITH_LIKE
    if strange or "like" not in values:
        raise RequestError(
            f"`like` does not go with `{min(strange)}`." if strange else "`like` is missing.",
            hint="Give the id of a plan; questions, or token and answers, go with it.",
            code="invalid_arguments",
        )
    with Workspace(served.root) as workspace:
        state = served.state_dir or state_dir(workspace, None)
        run = Run(deadline=Deadline(None, call.signal), progress=call.progress, state=state)
        if "token" in values:
            learning = Learning.resumed(values["token"], state, workspace, run)
        else:
            files = of_plan(session.store.find(values["like"]), session, workspace)
            learning = Learning.of(files, workspace, run, most=values.get("questions", 0))
        learning.take({id: str(reply) for id, reply in values.get("answers", {}).items()})
        if learning.open():
            learning.keep(state)
            document = learning.json()
            return Reply(_text(document), document), None
        plan = learning.plan()
    plan.title = checked_title(values["title"]) if "title" in values else plan.title
    document = learning.json(plan)
    return Reply(_text(document), document), plan


def _text(document: Mapping[str, Any]) -> str:
    """The rules that were learned; or the questions that are open, with their ids."""
    if not document["questions"]:
        text = "\n".join(rule["yaml"].rstrip("\n") for rule in document["rules"])
        return "\n".join(["Learned:", *list(quoted(text, " "))[:_RULE_LINES]]) + "\n"
    head = f"Nothing is staged: {number(len(document['questions']), 'question')}. Answer with the"
    lines = [f"{head} token {document['token']}: yes, no, yes-shape, no-shape, skip or stop."]
    for question in document["questions"]:
        lines.append(f"{question['id']}: {one_line(question['path'])}:{question['line']}")
        lines += [*quoted(question["before"], "-"), *quoted(question["after"], "+")]
    return "\n".join(lines) + "\n"
