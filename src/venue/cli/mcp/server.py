"""The server of tools: lists them, asks a person where money moves, sends the operations."""

from __future__ import annotations

import json
import secrets
from hashlib import blake2b
from typing import Any, Final

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

import venue
from venue.api.operation import Row
from venue.cli.clients import send, send_once
from venue.cli.mcp.tools import Tool
from venue.client.errors import FAILURES, words
from venue.client.http import Answer, refusal_of
from venue.lab.credentials import Credentials
from venue.vocabulary import Access

ANSWER: Final = "yes"  # the name of the question's answer
REFUSALS: Final = 300  # HTTP statuses from here on
WAIT_S: Final = 300.0  # an advance of the clock may take minutes
NO: Final = "the person did not agree; nothing was sent"
CANNOT_ASK: Final = (
    "this asks a person first, and your program cannot ask one (it has no elicitation):"
    " `venue mcp --yes` sends without asking"
)
WORDS: Final = (
    "A trading venue with practice money: spot and perpetual contracts. Prices, quantities and"
    " amounts are decimal texts. A refusal says which field is wrong, the rule and what is allowed."
)
_FORM: Final[dict[str, Any]] = {"type": "object", "properties": {}}

Context = ServerRequestContext[Any, Any]


class Tools:
    """The tools of one venue, used by one account; without `asking` nobody is asked."""

    def __init__(self, account: Credentials, found: dict[str, Tool], *, asking: bool) -> None:
        self.account = account
        self.found = found
        self.asking = asking
        self._secret = secrets.token_bytes(16)  # no other process's questions count as asked

    async def list_tools(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """All tools, on one page."""
        return types.ListToolsResult(tools=[_as_tool(tool) for tool in self.found.values()])

    async def call_tool(
        self, context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Send an operation, once a person has agreed where that is asked."""
        tool = self.found.get(asked.name)
        if tool is None:
            return _failure(f"no tool {asked.name}; the list of tools names them")
        values = asked.arguments or {}
        if self.asking and tool.asks:
            stopped = await self._ask_person(context, asked)
            if stopped is not None:
                return stopped
        try:
            return _result(await to_thread.run_sync(self._send, tool.row, values))
        except FAILURES as problem:
            return _failure(words(problem))

    async def _ask_person(
        self, context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult | None:
        """Ask a person; None once it has agreed to just this call.

        Newer programs ask when the call comes back without an effect, and call again with the
        answer; older ones are asked meanwhile.
        """
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return _failure(CANNOT_ASK)
        question = f"Send {asked.name} to {self.account.url}? {json.dumps(asked.arguments or {})}"
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            answer = await context.session.elicit_form(question, _FORM, context.request_id)
            return None if answer.action == "accept" else _failure(NO)
        state = blake2b(question.encode(), key=self._secret).hexdigest()
        told = (asked.input_responses or {}).get(ANSWER)
        if told is None or asked.request_state != state:
            form = types.ElicitRequestFormParams(message=question, requested_schema=_FORM)
            return types.InputRequiredResult(
                input_requests={ANSWER: types.ElicitRequest(params=form)}, request_state=state
            )
        agreed = isinstance(told, types.ElicitResult) and told.action == "accept"
        return None if agreed else _failure(NO)

    def _send(self, row: Row, values: dict[str, Any]) -> Answer:
        if row.access is Access.OPERATOR:
            return send_once(self.account.url, row, values, timeout_s=WAIT_S)
        return send(self.account.url, row, values, self.account, timeout_s=WAIT_S)


def _as_tool(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.reads, destructive_hint=tool.asks)
    return types.Tool(
        name=tool.row.name, description=tool.words, input_schema=tool.schema, annotations=hints
    )


def _result(reply: Answer) -> types.CallToolResult:
    """A venue's answer or refusal as it came; Refused: it is not a venue's."""
    text = reply.body.decode("utf-8", "replace")
    try:
        json.loads(text)
    except ValueError:
        raise refusal_of(reply.status, b"") from None
    content = types.TextContent(text=text)  # alone: a copy as values would have floats
    return types.CallToolResult(content=[content], is_error=reply.status >= REFUSALS)


def _failure(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=words)], is_error=True)


def serve(account: Credentials, found: dict[str, Tool], *, asking: bool) -> None:
    """Serve the tools over standard input and output, until the input ends."""
    offered = Tools(account, found, asking=asking)
    server: Server[Any] = Server(
        "venue", version=venue.__version__, instructions=WORDS,
        on_list_tools=offered.list_tools, on_call_tool=offered.call_tool,
    )  # fmt: skip
    anyio.run(_run, server)


async def _run(server: Server[Any]) -> None:
    async with stdio_server() as (source, sink):
        await server.run(source, sink, server.create_initialization_options())
