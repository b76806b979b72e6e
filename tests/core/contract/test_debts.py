"""The winner of a jump may take its money out, though its loser cannot pay (rules 2.5, 7.4)."""

from __future__ import annotations

from support.order_desk import BUY, CONTRACT, IOC, LONG, PRICE, SECOND, SELL, SHORT, Desk
from venue.core.messages import commands
from venue.core.state import snapshot

LOTS = 20
POOR, RICH = 110_000, 220_000


def test_more_may_be_taken_out_than_came_in_while_a_debt_stays() -> None:
    desk = Desk()
    for name, money in (("loser", POOR), ("winner", POOR), ("late", RICH)):
        desk.owner(name, money=money)
    desk.rest("loser", SELL, SHORT, LOTS, PRICE)
    desk.place("winner", BUY, LONG, LOTS, PRICE)
    desk.halt()
    desk.post(2 * PRICE)
    desk.halt(halted=False)
    desk.rest("late", BUY, LONG, LOTS, 2 * PRICE)
    desk.place("winner", SELL, LONG, LOTS, 2 * PRICE, IOC)
    winner = desk.engine.account(desk.uids["winner"])
    free = desk.engine.owners.movable(winner, CONTRACT, 0)
    assert free > POOR + POOR + RICH
    desk.ok(commands.Withdraw(winner.uid, CONTRACT, "USDT", free))
    assert winner.contract[0].collateral == 0
    assert desk.engine.ledger.external[0] == free - POOR - POOR - RICH
    for _ in range(3):
        desk.tick(SECOND)
    assert desk.engine.ledger.imbalance() == {}
    again = snapshot.load(snapshot.dump(desk.engine))
    assert snapshot.state_hash(again) == snapshot.state_hash(desk.engine)
