"""What a person asks of plans in an editor: the rule everywhere, what is pending, show, discard."""

from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types

from astedit.errors import AstEditError, RequestError
from astedit.lsp.answers import EVERYWHERE
from astedit.lsp.folder import RuleFolder
from astedit.lsp.server import RuleServer
from astedit.text.count_phrases import number
from resolve import ToolError

EditorCommand = Callable[[Any], Awaitable[Any]]


async def tell_staged(
    server: RuleServer, folder: RuleFolder, plan: Any, what: str
) -> dict[str, Any]:
    """Tells of a plan, and opens its page."""
    count, files = plan.total_replacements, plan.files_touched
    answer = {"actionId": plan.action_id, "replacements": count, "files": files, "link": None}
    if plan.action_id is None:
        server.tell(f"{what}: there is nothing to change.")
        return answer
    unsaved = "" if not server.workspace.text_documents else " Unsaved text is not part of it."
    server.tell(
        f"{what}: {number(count, 'replacement')} in {number(files, 'file')}, staged as"
        f" {plan.action_id}.{unsaved}"
    )
    answer["link"] = await server.show(folder, plan.action_id)
    server.refresh()
    return answer


def add_commands(server: RuleServer) -> None:
    """Adds the commands to a server."""

    def folder_of(argument: Any) -> RuleFolder:
        root = argument.get("root") if isinstance(argument, dict) else None
        folders = server.folders()
        chosen = [one for one in folders if root is None or one.root == root]
        if not chosen:
            raise RequestError("No folder of the editor has this root.")
        return chosen[0]

    def text_of(argument: Any, key: str) -> str:
        value = argument.get(key) if isinstance(argument, dict) else argument
        if not isinstance(value, str) or not value:
            raise RequestError(f"The command needs {key!r}.")
        return value

    def command(name: str) -> Callable[[EditorCommand], None]:
        def add(work: EditorCommand) -> None:
            @server.command(name)
            async def answer(*arguments: Any) -> Any:
                try:
                    return await work(arguments[0] if arguments else None)
                except (AstEditError, ToolError) as error:
                    server.tell(str(error), types.MessageType.Error)
                    return {"error": str(error)}

        return add

    @command(EVERYWHERE)
    async def everywhere(argument: Any) -> Any:
        rule = text_of(argument, "ruleId")
        await server.load_rules()
        folder = folder_of(argument)
        await server.load_rules()  # of a folder that was opened just now
        async with server.progress_of(f"{rule} everywhere"):
            plan = await server.run_in_thread(lambda: folder.stage_everywhere(rule))
        return await tell_staged(server, folder, plan, rule)

    @command("astedit.pending")
    async def pending(argument: Any) -> Any:
        rows = []
        for folder in server.folders():
            actions = await server.run_in_thread(folder.pending)
            rows += [{"id": one.id, "title": one.title, "root": folder.root} for one in actions]
        return rows

    @command("astedit.show")
    async def show(argument: Any) -> Any:
        return {"link": await server.show(folder_of(argument), text_of(argument, "id"))}

    @command("astedit.discard")
    async def discard(argument: Any) -> Any:
        folder, target = folder_of(argument), text_of(argument, "id")
        reason = argument.get("reason") if isinstance(argument, dict) else None
        result = await server.run_in_thread(
            lambda: folder.discard(target, reason or "discarded in the editor")
        )
        server.refresh()
        return {"text": result}
