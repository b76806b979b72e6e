"""Cancel-on-disconnect in copies of a venue: no connection of the venue is one of the copy's."""

from __future__ import annotations

from pathlib import Path

from journeys.test_command import command
from support.listening import Listener, login
from support.server import Server
from support.socket_desk import PRODUCTS, open_ids, placed, price_contracts, switch
from support.worlds import asked, made


def test_a_fork_ends_the_orders_as_a_restart_does_and_a_world_keeps_them_as_a_revert_does(
    tmp_path: Path,
) -> None:
    """Rule 3.14. The venue's own orders stay for as long as its connections do."""
    state, new = tmp_path / "state", tmp_path / "new"
    stays: dict[str, list[int]] = {}
    with Server("--no-agents", "--state", str(state), folder=tmp_path / "one") as server:
        operator, alice = server.client(), server.client("alice")
        price_contracts(operator)
        desks = [
            Listener(server.port, one.socket, login(server.account("alice"))) for one in PRODUCTS
        ]
        for product, desk in zip(PRODUCTS, desks, strict=True):
            switch(desk, on=True)
            placed(desk, product)
            stays[product.name] = [int(alice.post(product.order, product.plain).json["orderId"])]
        venue = {product.name: open_ids(alice, product) for product in PRODUCTS}
        assert {name: len(ids) for name, ids in venue.items()} == {one.name: 2 for one in PRODUCTS}
        assert operator.put("/_venue/snapshots/armed").status == 200
        made(server, "copy", **{"from": "armed"})
        for product in PRODUCTS:
            told = asked(alice, "copy", "GET", product.open).json
            assert sorted(order["orderId"] for order in told) == venue[product.name]
            assert open_ids(alice, product) == venue[product.name]
        at = operator.get("/_venue/health").json["sequence"]
        server.kill()
        for desk in desks:
            desk.socket.socket.close()
    done = command("fork", f"{state}@{at}", "-o", str(new))
    assert done.returncode == 0, done
    with Server("--no-agents", "--state", str(new), folder=tmp_path / "two") as forked:
        alice = forked.client("alice")
        for product in PRODUCTS:
            assert open_ids(alice, product) == stays[product.name]
        assert forked.stop() == 0
