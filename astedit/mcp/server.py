"""The protocol: tools and resources over stdio, for clients of either era.

Handlers run on the event loop and do nothing there but wait: every call works in a thread,
is told to stop when the client cancels it, and reports how far it has come.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from astedit.agents.calls import Calls, page_uri, uri
from astedit.agents.reply import Form, Reply, ToolCall, encodable, refusal, structured
from astedit.errors import AstEditError
from astedit.staging.open_workspace import OpenWorkspace, ServedStack
from astedit.staging.plan_label import described
from astedit.version import __version__
from resolve import ToolError

_QUESTION = "approval"
_FORM: dict[str, Any] = {"type": "object", "properties": {}}


async def ask_person(
    ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, refused: Reply
) -> types.InputRequiredResult | bool:
    """Asks once a call, and only a client that says it can show a form; True: try again now.

    Of a client of the current protocol the question is returned, and it calls again with the
    answer.
    """
    able = ctx.session.client_capabilities
    asks = able.elicitation if able is not None else None
    can_ask = asks is not None and (asks.form is not None or asks.url is None)
    if not can_ask or params.input_responses is not None:
        return False
    question = types.ElicitRequestFormParams(
        message=f"{refused.data['error']['message']} {refused.data['error']['hint']}",
        requested_schema=_FORM,
    )
    if not ctx.session.can_send_request:
        return types.InputRequiredResult(
            input_requests={_QUESTION: types.ElicitRequest(params=question)}
        )
    answer = await ctx.session.elicit_form(question.message, _FORM, ctx.request_id)
    return answer.action == "accept"


MOST = 32  # calls under way or waiting; more than any agent makes, and none waits for long
MOST_CHARACTERS = 16 << 20  # of their arguments, together


class BusyError(Exception):
    """The server has as many calls as it takes on; nothing was done."""


class Admission:
    """Counts the calls of one connection, on its event loop."""

    def __init__(self) -> None:
        self._calls = 0
        self._characters = 0

    @contextmanager
    def of(self, arguments: Any) -> Iterator[None]:
        """Takes a call on for as long as it lasts; raises `BusyError` at once otherwise.

        A call by itself is taken on whatever its size: its arguments are checked later.
        """
        characters = _characters(arguments)
        if (self._calls >= MOST or self._characters + characters > MOST_CHARACTERS) and self._calls:
            raise BusyError(f"The server is busy: {self._calls} calls are under way or waiting.")
        self._calls += 1
        self._characters += characters
        try:
            yield
        finally:
            self._calls -= 1
            self._characters -= characters


def _characters(value: Any) -> int:
    """About how much a value holds; without recursion, since JSON may be deep."""
    stack, total = [value], 0
    while stack:
        current = stack.pop()
        total += len(current) if isinstance(current, str) else 8
        if isinstance(current, dict):
            stack += [*current.keys(), *current.values()]
        elif isinstance(current, list):
            stack += current
    return total


Context = ServerRequestContext[Any, Any]
Value = TypeVar("Value")

_LOOK = 0.2  # seconds between two reports of progress
_LATER = "Nothing was done. Call again when some of your calls have been answered."
_INSTRUCTIONS = """\
astedit edits code by its structure, in two steps. locate finds what a name means, where that is
not sure. ast_edit, or a tool such as rename, previews a change over the whole workspace and
stages it; no file is changed. resolve applies or discards what was staged, by its id. An apply
writes exactly what was previewed, or nothing and says why."""
_STAGES = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RUNS = types.ToolAnnotations(read_only_hint=True, open_world_hint=True)
_MARKS = {  # of the tools that change nothing but the stack of previews, and of the one that writes
    "ast_edit": _STAGES,
    "rename": _STAGES,
    "refactor": _STAGES,
    "undo": _STAGES,
    "prove": _RUNS,
    "capture": _RUNS,
    "resolve": types.ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    ),
}
_READS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def serve(calls: Calls, form: Form = "text") -> None:
    """Serves one client on standard input and output, until it closes its end.

    `mcp.http` serves many over HTTP.
    """
    asyncio.run(_serve(calls, form))


async def _serve(calls: Calls, form: Form) -> None:
    server = make(calls, form)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def make(calls: Calls, form: Form = "text") -> Server[Any]:
    """The server of one workspace, for any transport; `form` is that of its replies."""
    handlers = _Handlers(calls, form)
    return Server(
        "astedit",
        version=__version__,
        title="astedit",
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


class _Handlers:
    """One connection's requests. Only one call at a time uses the engine: it has all cores."""

    def __init__(self, calls: Calls, form: Form) -> None:
        self._calls = calls
        self._form = form
        self._engine = asyncio.Lock()
        self._admission = Admission()

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=spec.name,
                    title=spec.title,
                    description=spec.description,
                    input_schema=spec.schema,
                    annotations=_MARKS.get(spec.name, _READS),
                )
                for spec in self._calls.tools.values()
            ]
        )

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name not in self._calls.tools:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        try:
            with self._admission.of(params.arguments):
                return await self._called(ctx, params)
        except BusyError as error:
            return _result(refusal("busy", str(error), _LATER), self._form)

    async def _called(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        name, values = params.name, params.arguments
        if name in ("pending", "resolve", "prove"):
            reply = await self._watched(ctx, name, values)
        else:
            async with self._engine:
                reply = await self._watched(ctx, name, values)
        if reply.code == "approval_missing":
            asked = await ask_person(ctx, params, reply)
            if isinstance(asked, types.InputRequiredResult):
                return asked
            if asked:
                reply = await self._watched(ctx, name, values)
        return _result(reply, self._form)

    def _served(self, ctx: Context) -> ServedStack:
        """The workspace for the client that asks: what it stages carries its name."""
        served = self._calls.served
        if isinstance(served, OpenWorkspace):
            return served.named(_client(ctx), _connection(ctx))
        return served

    async def _watched(self, ctx: Context, name: str, values: dict[str, Any] | None) -> Reply:
        """Runs a call in a thread; a cancelled one is stopped, and what it staged withdrawn."""
        call = ToolCall(served=self._served(ctx))
        work = asyncio.ensure_future(asyncio.to_thread(self._calls, name, values, call))
        try:
            reported = -1
            while not (await asyncio.wait({work}, timeout=_LOOK))[0]:
                if ctx.request is not None and await ctx.request.is_disconnected():
                    await self._stopped(call, work)
                    return refusal("cancelled", "The client has dropped the connection.", None)
                reported = await _report(ctx, call, reported)
            await _report(ctx, call, reported)
            return work.result()
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self._stopped(call, work)
            raise

    async def _stopped(self, call: ToolCall, work: asyncio.Future[Reply]) -> None:
        """Tells a call to stop, waits until it has, and withdraws what it staged even so."""
        call.signal.abort("the client cancelled the call")
        await asyncio.wait({work})
        if work.exception() is None and work.result().staged:
            await asyncio.to_thread(self._calls.withdraw, str(work.result().action_id))

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        actions = await self._read(self._calls.actions)
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=uri(action.id),
                    name=action.id,
                    description=described(action),
                    mime_type="application/json",
                )
                for action in actions[:100]
            ]
        )

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        about = "A staged plan, whole: every file and edit as JSON, and its diff."
        template = types.ResourceTemplate(
            uri_template=uri("{id}"), name="pending", description=about
        )
        page = types.ResourceTemplate(
            uri_template=page_uri("{id}"),
            name="page",
            description="A staged plan as a page for a person, to look at only.",
            mime_type=APP_MIME_TYPE,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template, page])

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        wanted = str(params.uri)
        if wanted.startswith(page_uri("")):
            page = await self._read(lambda: self._calls.page(wanted[len(page_uri("")) :]))
            content = types.TextResourceContents(uri=wanted, mime_type=APP_MIME_TYPE, text=page)
            return types.ReadResourceResult(contents=[content])
        if not wanted.startswith(uri("")):
            raise MCPError(types.INVALID_PARAMS, f"There is no resource {wanted}.")
        document, diff = await self._read(lambda: self._calls.document(wanted[len(uri("")) :]))
        text = json.dumps(encodable(document), ensure_ascii=False)
        return types.ReadResourceResult(
            contents=[
                types.TextResourceContents(uri=wanted, mime_type="application/json", text=text),
                types.TextResourceContents(
                    uri=wanted, mime_type="text/x-diff", text=encodable(diff)
                ),
            ]
        )

    async def _read(self, work: Callable[[], Value]) -> Value:
        """Reads the stack in a thread; a resource that is not there is a protocol error."""
        try:
            with self._admission.of(None):
                return await asyncio.to_thread(work)
        except (AstEditError, BusyError, ToolError) as error:
            raise MCPError(types.INVALID_PARAMS, encodable(str(error))) from error


def _client(ctx: Context) -> str | None:
    """The stable name that a client gives itself, if it does."""
    known = ctx.session.client_params
    return known.client_info.name if known is not None else None


def _connection(ctx: Context) -> str | None:
    """What tells the connections of one server apart: over HTTP a session, or an address."""
    if ctx.request is None:
        return None
    session: str | None = ctx.request.headers.get("mcp-session-id")
    return session or str(ctx.request.client.host)


async def _report(ctx: Context, call: ToolCall, reported: int) -> int:
    """Tells the client how far the call is, if it is any farther."""
    done, total = call.done, call.total
    if total and done > reported:
        await ctx.session.report_progress(done, total, f"{done:,} of {total:,} files")
        return done
    return reported


def _result(reply: Reply, form: Form) -> types.CallToolResult:
    """One reply, one content: many hosts hand their model the structure and drop the text.

    So there is only text, unless JSON was asked for. Then the first line stands beside it,
    and the whole text of an error, since of errors some hosts drop the structure.
    """
    text = encodable(reply.text)
    if form == "text":
        return types.CallToolResult(
            content=[types.TextContent(text=text)], is_error=reply.is_error, _meta=reply.meta
        )
    return types.CallToolResult(
        content=[types.TextContent(text=text if reply.is_error else text.partition("\n")[0])],
        structured_content=structured(reply),
        is_error=reply.is_error,
        _meta=reply.meta,
    )
