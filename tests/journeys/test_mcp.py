"""`venue mcp`: a stock client of the protocol trades through it, and its person is asked first."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, InputResponses
from mcp_types.version import LATEST_MODERN_VERSION

from support.server import Server
from support.waits import WAIT_S
from venue.cli.mcp.tools import ASKS, OPERATING, tools
from venue.lab import demo

RESTS = {
    "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
    "quantity": "0.01", "price": "50000.00",
}  # fmt: skip
ERAS = pytest.mark.parametrize("mode", ["legacy", LATEST_MODERN_VERSION])

Asked = list[str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("mcp")) as found:
        yield found
        assert found.stop() == 0


def command(server: Server, *words: str) -> list[str]:
    return ["-m", "venue", "mcp", "--url", server.url, *words]


def says(answer: str, asked: Asked) -> Callable[[Any, ElicitRequestParams], Awaitable[Any]]:
    """A person who always answers so, and whose questions are noted."""

    async def said(_: Any, question: ElicitRequestParams) -> ElicitResult:
        asked.append(question.message)
        return ElicitResult(action=answer, content={})  # type: ignore[arg-type]

    return said


@asynccontextmanager
async def connected(
    server: Server, *words: str, person: Any = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable, args=command(server, *words), env=dict(os.environ)
    )
    async with (
        asyncio.timeout(WAIT_S),
        Client(stdio_client(parameters), mode=mode, elicitation_callback=person) as client,
    ):
        yield client


async def called(client: Client, name: str, /, **values: Any) -> tuple[bool, Any]:
    """Whether a tool refused, and its words: JSON where it is that."""
    answer = await client.call_tool(name, values)
    assert isinstance(answer, CallToolResult)
    (content,) = answer.content
    text = content.text  # type: ignore[union-attr]
    return answer.is_error, json.loads(text) if text[0] in "{[" else text


def open_orders(server: Server, name: str = "alice") -> list[Any]:
    client = server.client(name)
    found = client.get("/api/v3/openOrders").json
    client.connection.close()
    return list(found)


@ERAS
def test_a_person_agrees_and_the_order_rests(server: Server, mode: str) -> None:
    async def trade() -> tuple[Asked, Any]:
        asked: Asked = []
        person = says("accept", asked)
        async with connected(server, "--as", "alice", person=person, mode=mode) as client:
            refused, order = await called(client, "place_order", **RESTS)
            assert not refused, order
            _, found = await called(client, "order", orderId=order["orderId"], symbol="BTCUSDT")
            assert (found["status"], found["price"]) == ("NEW", "50000.00")
            refused, gone = await called(
                client, "cancel_order", orderId=order["orderId"], symbol="BTCUSDT"
            )
            assert not refused, gone
        return asked, order

    before = len(open_orders(server))
    (question,), _ = asyncio.run(trade())  # one question: a cancel asks nobody
    assert question.startswith(f"Send place_order to {server.url}? ")
    assert json.loads(question.partition("? ")[2]) == RESTS
    assert len(open_orders(server)) == before


@pytest.mark.parametrize(
    ("mode", "answer"), [("legacy", "cancel"), (LATEST_MODERN_VERSION, "decline")]
)
def test_a_person_who_does_not_agree_stops_it(server: Server, mode: str, answer: str) -> None:
    async def trade() -> tuple[bool, Any]:
        person = says(answer, [])
        async with connected(server, "--as", "alice", person=person, mode=mode) as client:
            return await called(client, "place_order", **RESTS)

    before = open_orders(server)
    assert asyncio.run(trade()) == (True, "the person did not agree; nothing was sent")
    assert open_orders(server) == before


def test_a_program_that_cannot_ask_moves_nothing(server: Server) -> None:
    async def trade() -> tuple[bool, Any]:
        async with connected(server, "--as", "alice") as client:
            return await called(client, "place_order", **RESTS)

    before = open_orders(server)
    refused, words = asyncio.run(trade())
    assert refused
    assert "`venue mcp --yes` sends without asking" in words
    assert open_orders(server) == before


def test_an_answer_to_another_question_counts_for_nothing(server: Server) -> None:
    """A person agrees to one call with its arguments."""
    dear = {**RESTS, "price": "60000.00"}

    async def trade() -> tuple[Any, Any, Asked]:
        asked: Asked = []
        person = says("decline", asked)
        mode = LATEST_MODERN_VERSION
        async with connected(server, "--as", "alice", person=person, mode=mode) as client:
            first = await client.session.call_tool("place_order", RESTS, allow_input_required=True)
            agreed: InputResponses = {"yes": ElicitResult(action="accept", content={})}
            again = await client.session.call_tool(
                "place_order", dear, input_responses=agreed, allow_input_required=True,
                request_state=first.request_state,  # type: ignore[union-attr]
            )  # fmt: skip
            return first, again, asked

    before = open_orders(server)
    first, again, _ = asyncio.run(trade())
    assert first.result_type == again.result_type == "input_required"
    assert first.request_state != again.request_state
    assert open_orders(server) == before


def test_without_asking_an_operator_moves_time_and_money(server: Server) -> None:
    async def operate() -> None:
        async with connected(server, "--as", "carol", "--operator", "--yes") as client:
            refused, gift = await called(
                client, "deposit", owner="carol", wallet="SPOT", asset="USDT", amount="2.5"
            )
            assert not refused, gift
            assert gift["amount"] == "2.50000000"
            refused, order = await called(client, "place_order", **RESTS)
            assert refused
            assert "amount not enough" in order["msg"], order
            refused, words = await called(client, "keep_snapshot", name="mcp")
            assert not refused, words
            refused, found = await called(client, "snapshots")
            assert "mcp" in str(found)
            refused, logged = await called(client, "wire", limit=50)
            assert not refused, logged
            assert "/api/v3/order" in json.dumps(logged)  # the refused one stands in the wire log
            refused, words = await called(client, "no_such_tool")
            assert (refused, words) == (True, "no tool no_such_tool; the list of tools names them")

    asyncio.run(operate())


def test_an_owner_has_no_tool_of_the_operator(server: Server) -> None:
    async def listed() -> dict[str, Any]:
        async with connected(server, "--as", "alice") as client:
            found = await client.list_tools()
            refused, words = await called(client, "deposit", owner="alice", amount="1")
            assert refused, words
            return {tool.name: tool for tool in found.tools}

    found = asyncio.run(listed())
    assert found.keys() == tools(operating=False).keys()
    assert not found.keys() & set(OPERATING)
    assert found["depth"].annotations.read_only_hint
    assert found["place_order"].annotations.destructive_hint
    assert demo.ACCOUNTS[0].secret not in str(found)


def test_each_tool_that_moves_something_asks_or_only_cancels() -> None:
    quiet = {
        name for name, tool in tools(operating=True).items() if not tool.reads and not tool.asks
    }
    assert quiet == {
        "cancel_order", "cancel_open_orders", "cancel_contract_order",
        "cancel_contract_open_orders", "cancel_algo", "cancel_algos", "keep_snapshot", "add_fault",
        "apply_fault_preset", "clear_faults",
    }  # fmt: skip
    assert tools(operating=True).keys() >= ASKS


def test_schemas_stand_alone_and_name_what_is_required() -> None:
    found = tools(operating=True)
    assert "$ref" not in json.dumps([tool.schema for tool in found.values()])
    assert found["place_contract_order"].schema["required"] == [
        "symbol", "side", "positionSide", "type", "quantity",
    ]  # fmt: skip
    assert found["explain_order"].schema["required"] == ["id"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--as", "nobody"], "Parameter 'owner' is invalid: no such owner"),
        (["--as", "alice", "--key", "k"], "--as and --key exclude each other"),
    ],
)
def test_a_wrong_owner_is_told_before_anything_is_served(
    server: Server, words: list[str], told: str
) -> None:
    done = subprocess.run(
        [sys.executable, *command(server, *words)],
        input="", capture_output=True, text=True, timeout=WAIT_S,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr


def test_the_end_of_the_input_ends_it_and_its_key(server: Server) -> None:
    operator = server.client()
    assert operator.post("/_venue/owners", {"name": "erin"}).status == 200
    done = subprocess.run(
        [sys.executable, *command(server, "--as", "erin")],
        input="", capture_output=True, text=True, timeout=WAIT_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (key,) = operator.get("/_venue/keys?owner=erin").json
    assert key["revoked"]
