"""Plans in an editor: a rule everywhere, a rename, what is pending, and the pages of plans.

What is staged is resolved by the gate: no edit of a plan goes to the editor.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.errors import RequestError
from astedit.interface.operations import planned
from astedit.limits import MAX_FILE_SIZE
from astedit.locating.inventory.read_file import innermost, scopes
from astedit.lsp.answers import OpenFile
from astedit.lsp.folder import RuleFolder
from astedit.model.plan import Plan
from astedit.operations import operation
from astedit.staging.overlaps import touched
from astedit.staging.preview import preview
from astedit.staging.stage import stage
from astedit.text import number
from astedit.text.source import Change
from astedit.workspace.config import load
from resolve import PendingAction

if TYPE_CHECKING:
    from astedit.web.application import PageServer

_BEFORE, _AFTER = re.compile(r"\w*\Z"), re.compile(r"\w*")


def client_can(server: LanguageServer, capability: Any, member: str = "") -> bool:
    """Whether the client has a capability (`workspace.configuration`); in a list, the member."""
    value = get_capability(server.client_capabilities, capability, None)
    return member in value if member and value else bool(value)


class PlanCommands:
    """What a person asks of plans in an editor; each command takes one argument, an object.

    `folders` are those of the editor, as they are now.
    """

    def __init__(self, server: LanguageServer, folders: Callable[[], Sequence[RuleFolder]]) -> None:
        self._server, self._folders = server, folders
        self._pages: dict[str, tuple[PageServer, Thread]] = {}

    def everywhere(self, argument: Any) -> dict[str, Any]:
        """Stages the fix of a rule over the whole workspace, as its files are on disk."""
        id, folder = _text(argument, "ruleId"), self._folder(argument)
        rules = folder.request.rules
        chosen = [rule for rule in rules if rule["id"] == id]
        if not chosen:
            raise RequestError(f"There is no rule {id!r} here.", code="no_rules")
        chosen += [rule for rule in rules if rule.get("when") == "triggered"]
        request = replace(folder.request, rules=chosen, suppressions={}, encoding=None)
        folder.place.refuse_changed_root()
        with self._progress(f"{id} everywhere"):
            plan = preview(request, folder.workspace, Run(state=folder.place.state_dir))
            check_limits(plan)
            return self._stage(plan, folder, id)

    def rename(self, file: OpenFile, at: int, name: str) -> None:
        """Stages a rename of the Python name at an offset.

        Where it is defined it is that definition; elsewhere what the name means must be plain.
        """
        content = file.text.content
        before = _BEFORE.search(content[:at].decode("utf-8", "replace"))
        after = _AFTER.match(content[at:].decode("utf-8", "replace"))
        word = "".join(part[0] for part in (before, after) if part is not None)
        line = content.count(b"\n", 0, at) + 1
        defined = scopes(content, "python", kinds=())
        here = [one for one in defined if one.line == line and one.names[-1] == word]
        identifier = f"sym:{file.path}::{'.'.join(here[0].names)}" if here else word
        plan = _planned("rename", file.folder, identifier, name)
        self._stage(plan, file.folder, f"Rename to {name}")

    def pending(self, argument: Any = None) -> list[dict[str, str]]:
        """What is staged, newest first."""
        return [
            {"id": action.id, "title": action.title, "root": folder.root}
            for folder in self._folders()
            for action in _pending(folder)
        ]

    def show(self, argument: Any) -> dict[str, str | None]:
        """Opens the review page of a plan."""
        return {"link": self._open(self._folder(argument), _text(argument, "id"))}

    def discard(self, argument: Any) -> dict[str, str]:
        """Discards a pending plan."""
        target = _text(argument, "id")
        reason = argument.get("reason") if isinstance(argument, dict) else None
        with self._folder(argument).place.session() as session:
            reason = reason or "discarded in the editor"
            text = session.resolve("discard", reason, None, target).text
        self._refresh()
        return {"text": text}

    def tell(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Shows a message to the person."""
        self._server.window_show_message(types.ShowMessageParams(kind, text))

    def close(self) -> None:
        """Ends all pages."""
        for page, _ in self._pages.values():
            page.stop()

    def _folder(self, argument: Any) -> RuleFolder:
        root = argument.get("root") if isinstance(argument, dict) else None
        for folder in self._folders():
            if root in (None, folder.root):
                return folder
        raise RequestError("No folder of the editor has this root.")

    def _stage(self, plan: Plan, folder: RuleFolder, what: str) -> dict[str, Any]:
        """Stages a plan, tells of it, and opens its page."""
        if not plan.total_replacements:
            self.tell(f"{what}: there is nothing to change.")
            return {"actionId": None, "replacements": 0, "files": 0, "link": None}
        with folder.place.session(create=True) as session:
            id = stage(plan, session).id
        count, files = plan.total_replacements, plan.files_touched
        counts = f"{number(count, 'replacement')} in {number(files, 'file')}"
        self.tell(f"{what}: {counts}, staged as {id}. Unsaved text is not part of it.")
        link = self._open(folder, id)
        self._refresh()
        return {"actionId": id, "replacements": count, "files": files, "link": link}

    def _open(self, folder: RuleFolder, action_id: str) -> str | None:
        """Shows the page of a plan; its link, or None where there is no page."""
        if (link := self._link(folder, action_id)) is None:
            self.tell(f"Look at it with: astedit review {action_id}")
        elif client_can(self._server, "window.show_document.support"):
            self._server.window_show_document(types.ShowDocumentParams(link, external=True))
        else:
            self.tell(f"Review the plan: {link}")
        return link

    def _link(self, folder: RuleFolder, action_id: str) -> str | None:
        """The link of a plan's page, which a thread of its own serves.

        None where the extra `web` is not installed. Raises `PreconditionError` for an action
        that is not pending.
        """
        page, thread = self._pages.get(action_id, (None, None))
        if page is None or thread is None or not thread.is_alive():
            try:
                from astedit.web.application import PageServer
                from astedit.web.open_plan import OpenPlan
            except ModuleNotFoundError:
                return None
            page = PageServer(OpenPlan(folder.place.session, action_id, load(folder.workspace)))
            thread = Thread(target=page.run, daemon=True)
            thread.start()
            self._pages[action_id] = page, thread
        return page.link

    def _refresh(self) -> None:
        if client_can(self._server, "workspace.code_lens.refresh_support"):
            self._server.workspace_code_lens_refresh(None)

    @contextmanager
    def _progress(self, title: str) -> Iterator[None]:
        """Shows that something takes its time, where the client can show it."""
        progress, token = self._server.work_done_progress, str(uuid4())
        if not client_can(self._server, "window.work_done_progress"):
            yield
            return
        progress.create(token)
        progress.begin(token, types.WorkDoneProgressBegin(title))
        try:
            yield
        finally:
            progress.end(token, types.WorkDoneProgressEnd())


def edits_of_move(
    folder: RuleFolder, old: str, new: str
) -> Iterator[tuple[str, bytes, list[Change]]]:
    """What follows where a module goes elsewhere: files as they are, and their edits."""
    paths = [folder.workspace.relative(path, folder.root) for path in (old, new)]
    for file in _planned("move_module", folder, *paths).files:
        path = file.source or file.path
        changes = [change for change in file.changes if change[2] or change[0] < change[1]]
        if changes:
            yield path, folder.workspace.read(path, MAX_FILE_SIZE)[0], changes


def _planned(kind: str, folder: RuleFolder, *values: str) -> Plan:
    parameters = operation(kind).parameters(*values)
    return planned(operation(kind), parameters, root=folder.root, state=folder.place.state_dir)


def _pending(folder: RuleFolder) -> list[PendingAction]:
    with folder.place.session() as session:
        return session.store.list()


def lenses(file: OpenFile, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Over each definition that pending plans touch how many edits do, and the newest of them."""
    actions = _pending(file.folder)
    with file.folder.place.session() as session:
        touching = [(touched(one, session.records).get(file.path), one.id) for one in actions]
    spans = [
        (start, id)
        for there, id in touching
        if there is not None
        for start, _ in there.spans or ((0, 0),)
    ]
    row = file.folder.language(file.path)
    around = scopes(file.text.content, row.name) if spans and row is not None else []
    counts: dict[int, Counter[str]] = {}
    for start, id in spans:
        scope = innermost(around, start)
        line = 0 if scope is None else scope.line - 1
        counts.setdefault(line, Counter())[id] += 1
    return [
        types.CodeLens(
            types.Range(types.Position(line, 0), types.Position(line, 0)),
            types.Command(
                f"{number(edits.total(), 'edit')} pending: show, review",
                "astedit.show",
                arguments=[{"id": next(iter(edits)), "root": file.folder.root}],
            ),
        )
        for line, edits in sorted(counts.items())
    ]


def _text(argument: Any, key: str) -> str:
    value = argument.get(key) if isinstance(argument, dict) else argument
    if not isinstance(value, str) or not value:
        raise RequestError(f"The command needs {key!r}.")
    return value
