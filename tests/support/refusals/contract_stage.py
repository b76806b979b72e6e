"""A live venue on which contracts were traded: positions, books, a halt, full caps, no prices.

BTCUSDT has a mark and a last price of 63,500, and a book of 63,000 to 64,000; ETHUSDT has neither
prices nor orders; SOLUSDT is halted. Demo contracts have prices that were posted once. Alice is
long 40 BTCUSDT (second tier), has an isolated position in ETHSUSDT and a separated one in SOLSUSDT.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from support.refusals.cases import FIRST_ID, order
from support.refusals.stage import Stage

V3: Final = "/capi/v3"
ORDER: Final = f"{V3}/order"
ALGO: Final = f"{V3}/algoOrder"
ACCOUNT: Final = f"{V3}/account"
ASKS_MAX: Final = 20_000  # the first mark comes with the venue's next tick, each second

SPOT_ID: Final = FIRST_ID  # bob's spot order
DONE: Final = FIRST_ID + 3  # alice's order that opened her position
LONG_ID: Final = FIRST_ID + 4  # that position
BOBS_SHORT: Final = FIRST_ID + 5  # bob's
RESTS: Final = FIRST_ID + 9  # alice's open order
BOBS_ASK: Final = FIRST_ID + 10
STOP_ID: Final = FIRST_ID + 12  # alice's conditional orders: waiting, trailing, canceled
TRAIL_ID: Final = FIRST_ID + 13
GONE_STOP: Final = FIRST_ID + 14
BOBS_STOP: Final = FIRST_ID + 15
ISOLATED_ID: Final = FIRST_ID + 18
SEPARATED_ID: Final = FIRST_ID + 22
UNKNOWN_ID: Final = FIRST_ID * 9

LONG: Final[dict[str, Any]] = {"positionSide": "LONG"}
SHORT: Final[dict[str, Any]] = {"positionSide": "SHORT"}
INDEXES: Final = {"BTCSUSDT": "60000", "ETHSUSDT": "3000", "SOLSUSDT": "150"}


def contract_venue(stage: Stage) -> None:
    """Contracts with owners, keys, prices, positions, orders, a halt, full caps."""
    _owners(stage)
    _prices(stage)
    _positions(stage)
    _waiting(stage)
    _demo(stage)
    _caps(stage)
    stage.operate("contracts/halt", symbol="SOLUSDT", reason="a drill")
    stage.operate(
        "contracts/change", symbol="BTCSUSDT", maxPositionSize="0.2", maxOpenInterest="1.1"
    )
    stage.operate("contracts/change", symbol="SOLSUSDT", maxOwnerShare="0.01")
    stage.operate("affiliates", owner="erin", code="ERIN")
    stage.operate("owners/freeze", owner="erin", frozen=True)
    stage.operate("affiliates", owner="alice", code="ALICE", contractRate="0.3")


def _owners(stage: Stage) -> None:
    trade = ("READ", "CONTRACT_TRADE")
    for name in ("erin", "frank", "grace"):
        stage.operate("owners", name=name)
        for asset in ("USDT", "SUSDT"):
            stage.operate("deposit", owner=name, wallet="CONTRACT", asset=asset, amount="100")
        stage.key(name, name, *trade)
    stage.key("reader", "alice", "READ")
    stage.key("trader", "alice", "CONTRACT_TRADE")
    stage.key("spotter", "alice", "READ", "SPOT_TRADE")
    stage.key("copier", "alice", "READ", "COPY_TRADE")
    stage.key("frozen", "erin", "READ", "SPOT_TRADE")


def _prices(stage: Stage) -> None:
    """An index for BTCUSDT, the middle of its spot book; posted ones for the demo contracts."""
    for side, price in (("BUY", "63000"), ("SELL", "64000")):
        one = order(side=side, quantity="0.2", price=price)
        stage.act("bob", "POST", "/api/v3/order", one)
    post_indexes(stage)
    for symbol in ("BTCUSDT", *INDEXES):
        _wait_for_mark(stage, symbol)


def post_indexes(stage: Stage) -> None:
    """Post the demo contracts' indexes. Ten seconds later they are stale, and in doubt."""
    for symbol, price in INDEXES.items():
        stage.operate("index", symbol=symbol, source="agents", price=price, jump=True)


def _wait_for_mark(stage: Stage, symbol: str) -> None:
    for _ in range(ASKS_MAX):
        answer = stage.client.get(f"{V3}/market/premiumIndex?symbol={symbol}")
        (told,) = answer.json
        if Decimal(told["markPrice"]):
            return
    raise AssertionError(f"{symbol} has no mark")


def contract_order(**changes: Any) -> dict[str, Any]:
    """A good order that opens a long position, changed."""
    limit = changes.get("type", "LIMIT") == "LIMIT"
    return order(**{**LONG, **({"timeInForce": "GTC"} if limit else {}), **changes})


def place(stage: Stage, who: str, body: dict[str, Any], path: str = ORDER) -> int:
    """Place an order, which must succeed; its id."""
    return int(stage.act(who, "POST", path, body)["orderId"])


def position(stage: Stage, who: str, symbol: str) -> int:
    """The id of an owner's one position in a contract."""
    path = f"{ACCOUNT}/position/singlePosition?symbol={symbol}"
    (found,) = stage.act(who, "GET", path)
    return int(found["id"])


def trade(stage: Stage, taker: str, **terms: Any) -> int:
    """Have a taker buy from bob, whose order rests first; the taker's order id."""
    name = terms.pop("newClientOrderId", ...)
    place(stage, "bob", contract_order(side="SELL", **SHORT, **terms))
    buys = {"type": "MARKET", "price": ..., "newClientOrderId": name}
    return place(stage, taker, contract_order(**{**terms, **buys}))


def _positions(stage: Stage) -> None:
    done = trade(stage, "alice", quantity="40", price="63500", newClientOrderId="alice-done")
    trade(stage, "grace", quantity="0.01", price="63500")
    rests = place(stage, "alice", contract_order(newClientOrderId="alice-rests"))
    ask = contract_order(side="SELL", **SHORT, quantity="1", price="64000")
    asked = place(stage, "bob", ask | {"newClientOrderId": "bob-ask"})
    place(stage, "bob", contract_order(quantity="1", price="63000"))
    held = position(stage, "alice", "BTCUSDT"), position(stage, "bob", "BTCUSDT")
    found = (done, *held, rests, asked)
    assert found == (DONE, LONG_ID, BOBS_SHORT, RESTS, BOBS_ASK), found


def _waiting(stage: Stage) -> None:
    stop = contract_order(side="SELL", type="STOP_MARKET", price=..., triggerPrice="50000")
    found = [place(stage, "alice", stop | {"clientAlgoId": "alice-stop"}, ALGO)]
    trails = {"type": "TRAILING_STOP_MARKET", "triggerPrice": "", "callbackRate": "0.2"}
    found.append(place(stage, "alice", stop | trails | {"clientAlgoId": "alice-trails"}, ALGO))
    found.append(place(stage, "alice", stop | {"clientAlgoId": "alice-gone"}, ALGO))
    stage.act("alice", "DELETE", f"{ALGO}?orderId={found[-1]}")
    bobs = {"side": "BUY", **SHORT, "triggerPrice": "69000", "clientAlgoId": "bob-stop"}
    found.append(place(stage, "bob", stop | bobs, ALGO))
    assert found == [STOP_ID, TRAIL_ID, GONE_STOP, BOBS_STOP], found


def _demo(stage: Stage) -> None:
    """An isolated and a separated position, and nearly all open interest that will be allowed."""
    for symbol, modes in (("ETHSUSDT", {}), ("SOLSUSDT", {"separatedType": "SEPARATED"})):
        body = {"symbol": symbol, "marginType": "ISOLATED", **modes}
        stage.act("alice", "POST", f"{ACCOUNT}/marginType", body)
    trade(stage, "alice", symbol="ETHSUSDT", quantity="1", price="3000")
    trade(stage, "alice", symbol="SOLSUSDT", quantity="10", price="150")
    trade(stage, "alice", symbol="BTCSUSDT", quantity="1", price="60000")
    found = position(stage, "alice", "ETHSUSDT"), position(stage, "alice", "SOLSUSDT")
    assert found == (ISOLATED_ID, SEPARATED_ID), found


def _caps(stage: Stage) -> None:
    one = contract_order(symbol="SOLSUSDT", quantity="0.01", price="1")
    for number in range(200):  # alike and within one ms, two would be one request sent twice
        place(stage, "frank", one | {"newClientOrderId": f"frank-{number}"})
    stop = one | {"type": "STOP", "triggerPrice": "160", "quantity": "0.01"}
    for number in range(50):
        place(stage, "frank", stop | {"clientAlgoId": f"frank-{number}"}, ALGO)
