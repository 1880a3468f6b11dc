"""Where the policy wants a person: asking the client to wait for one.

What the client answers proves nothing, since clients may answer by themselves. So the
question only asks a person to run `astedit approve`; that alone lets the apply through.
"""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from astedit.agents.reply import Reply

_KEY = "approval"
_FORM: dict[str, Any] = {"type": "object", "properties": {}}


class Approval:
    """Asks once a call, and only a client that says it can show a form."""

    async def ask(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        refused: Reply,
    ) -> types.InputRequiredResult | bool:
        """True: try again now. Of a client of the current protocol the question is returned,
        and it calls again with the answer."""
        if not _can_ask(ctx) or params.input_responses is not None:
            return False
        question = types.ElicitRequestFormParams(
            message=f"{refused.data['error']['message']} {refused.data['error']['hint']}",
            requested_schema=_FORM,
        )
        if not ctx.session.can_send_request:
            return types.InputRequiredResult(
                input_requests={_KEY: types.ElicitRequest(params=question)}
            )
        answer = await ctx.session.elicit_form(question.message, _FORM, ctx.request_id)
        return answer.action == "accept"


def _can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    able = ctx.session.client_capabilities
    asks = able.elicitation if able is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)
