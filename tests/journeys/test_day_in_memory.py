"""A venue in memory keeps a day of its owners' commands while its agents trade, and little more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from venue import Refused, Venue
from venue.journal.recent import RecentJournal
from venue.node.snapshots import take
from venue.pruning.forgetting import Forgetting

SYMBOL = "BTCUSDT"
RESTS = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
TAKES = {"symbol": SYMBOL, "side": "BUY", "type": "MARKET", "quantity": "0.01"}


@pytest.fixture
def server(tmp_path: Any) -> Iterator[Server]:
    with Server("--clock", "manual", folder=tmp_path) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


def lived(client: Client, hours: int) -> dict[str, Any]:
    """The health after so many hours in which the agents traded."""
    for _ in range(hours):
        told = client.post("/_venue/clock/advance", {"by": "1h", "sparse": True})
        assert told.status == 200, told
    return dict(client.get("/_venue/health").json)


def test_an_order_of_a_day_ago_is_explained(server: Server) -> None:
    """The agents have sent far more commands since than two snapshots leave."""
    operator, alice = server.client(), server.client("alice")
    rests = alice.post("/api/v3/order", {**RESTS, "quantity": "0.01", "price": "30000"}).json
    taken = alice.post("/api/v3/order", TAKES).json
    assert alice.delete(f"/api/v3/order?orderId={rests['orderId']}").status == 200
    health = lived(operator, 24)
    assert (health["sequence"] > 50_000, health["forgotten"]) == (True, "")
    for order, said in ((rests, "it ended as CANCELED."), (taken, "alice asked to BUY 0.01000")):
        told = operator.get(f"/_venue/explain/order/{order['orderId']}")
        assert told.status == 200, told
        assert (told.json["owner"], said in " ".join(told.json["sentences"])) == ("alice", True)
    health = lived(operator, 30)
    assert "keeps the commands of 24 hours of venue time" in health["forgotten"]
    told = operator.get(f"/_venue/explain/order/{rests['orderId']}")
    assert (told.status, health["forgotten"] in told.json["msg"]) == (400, True)


def test_rows_of_before_yesterday_go_where_they_take_too_much() -> None:
    """A kept state has what was open in it; the health answer tells what is gone."""
    with Venue(agents=False) as v:
        alice = v.account("alice")
        kept = alice.buy(SYMBOL, "0.01", price="30000")
        v.advance("1s")
        v.snapshot("base")
        v.advance("1s")
        alice.cancel(kept)
        gone = alice.buy(SYMBOL, "0.02", price="30000")
        alice.cancel(gone)
        opened = alice.buy(SYMBOL, "0.03", price="30000")
        v.advance("30h", sparse=True)
        young = alice.buy(SYMBOL, "0.04", price="30000")
        alice.cancel(young)
        assert not v._loop.call(Forgetting(v._node, 1 << 30).round())
        assert alice.order(gone).status == "CANCELED"
        assert v._loop.call(Forgetting(v._node, 0).round())
        assert not v._loop.call(Forgetting(v._node, 0).round())  # too little is older by now
        with pytest.raises(Refused):
            alice.order(gone)
        statuses = [alice.order(one).status for one in (kept, opened, young)]
        assert statuses == ["CANCELED", "NEW", "CANCELED"]
        forgotten = v.call("health").forgotten
        assert forgotten == (
            "rows of orders and money that were settled before 2026-01-01T06:00:02.000Z are gone,"
            " unless a kept state needs them"
        )
        v.revert("base")
        assert alice.order(kept).status == "NEW"
        assert [order.order_id for order in alice.orders(SYMBOL)] == [kept.order_id]
        assert v.call("health").forgotten == ""


def kept(v: Venue) -> int:
    """Have a state on the way kept now; its sequence."""
    node = v._node
    snapshot = take(node.engine, node.market_data, node.recorder)
    assert isinstance(node.journal, RecentJournal)
    node.journal.save_snapshot(snapshot)
    return snapshot.sequence


@pytest.mark.parametrize("terms", [{}, {"product": "contract", "position": "LONG"}])
def test_of_an_open_order_only_what_happened_to_it_is_replayed(terms: dict[str, str]) -> None:
    """States on the way show where nothing did. A day of an agent's commands takes minutes."""
    with Venue(agents=False) as v, v.hold_index(SYMBOL, "60000", jump=True):
        alice, bob = v.account("alice"), v.account("bob")
        rests = alice.buy(SYMBOL, "0.05", price="60000", **terms)
        begins = [kept(v)]
        for number in range(6):
            for _ in range(40):
                bob.cancel(bob.buy(SYMBOL, "0.01", price="50000", **terms))
            if number == 3:
                short = {**terms, "position": "SHORT"} if terms else {}
                bob.sell(SYMBOL, "0.02", price="60000", **short)
            begins.append(kept(v))
        alice.cancel(rests)
        journal = v._node.journal
        packed, replayed = journal.read_packed, list[int]()

        def noted(after: int, last: int) -> list[tuple[int, bytes]]:
            replayed.append(after)
            return packed(after, last)[:20]

        journal.read_packed = noted  # type: ignore[method-assign]
        told = "\n".join(v.explain("order", rests).sentences)
        assert "0.02000 at 60000.00 as the resting order; 0.03000 of it were left." in told
        assert told.endswith("it ended as CANCELED.")
        left_out = [(0, 3), (4, 6)]
        for first, last in left_out:
            assert not [at for at in replayed if begins[first] < at < begins[last]]
        assert [at for at in replayed if begins[3] <= at < begins[4]]
