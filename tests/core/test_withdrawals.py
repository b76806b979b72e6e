"""Internal withdrawals (rule 9.6): money goes to another owner once, never more than there is."""

from __future__ import annotations

import pytest

from support.contract_world import ContractWorld
from support.world import BUY, ID, World, refusal
from venue.core.contract.collateral import FEES_UID, FUND_UID
from venue.core.messages import commands
from venue.core.messages.benefit_commands import ChangeGift, InternalWithdraw, SetAffiliate
from venue.core.messages.benefit_events import InternallyWithdrawn, MovementRepeated
from venue.core.messages.events import Event, WalletMoved
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX
from venue.core.withdrawals import SENT_PER_OWNER_MAX
from venue.vocabulary import CLIENT_ID_MEMORY_US, Reject, Wallet

pytestmark = pytest.mark.core

SPOT, CONTRACT, FUNDING = int(Wallet.SPOT), int(Wallet.CONTRACT), int(Wallet.FUNDING)
PLENTY = 10**15


@pytest.fixture
def world() -> World:
    """Ann is an affiliate; ben and cat are not."""
    world = World("ann", "ben", "cat")
    world.ok(SetAffiliate(world.uids["ann"], "ANN", 0, 0))
    return world


def send(
    world: World | ContractWorld, amount: int, client_id: str = "", **more: object
) -> list[Event]:
    to = world.uids.get(str(more.get("to", "ben")), 0) or int(str(more.get("uid", 0)))
    return world.apply(
        InternalWithdraw(
            world.uids[str(more.get("who", "ann"))], to, int(str(more.get("source", SPOT))),
            int(str(more.get("target", SPOT))), str(more.get("asset", "BTC")), amount, client_id,
        )
    )  # fmt: skip


def test_money_goes_from_one_owner_to_another_with_a_bill_for_each(world: World) -> None:
    ann, ben = world.uids["ann"], world.uids["ben"]
    bill = world.engine.counters.bill
    assert send(world, 7, target=FUNDING) == [
        InternallyWithdrawn(ID, ann, ben, "BTC", SPOT, FUNDING, 7),
        WalletMoved(bill, ann, SPOT, "BTC", "transfer_out", -7, PLENTY - 7),
        WalletMoved(bill + 1, ben, FUNDING, "BTC", "transfer_in", 7, 7),
    ]
    assert world.free("ann", "BTC") == PLENTY - 7
    assert send(world, PLENTY - 7) != []
    assert world.free("ann", "BTC") == 0
    assert world.free("ben", "BTC") == 2 * PLENTY - 7


@pytest.mark.parametrize(
    ("amount", "more", "reason"),
    [
        (PLENTY + 1, {}, Reject.FUNDS),
        (1, {"source": FUNDING}, Reject.FUNDS),
        (0, {}, Reject.AMOUNT),
        (-1, {}, Reject.AMOUNT),
        (AMOUNT_MAX + 1, {}, Reject.AMOUNT),
        (1, {"asset": "NOPE"}, Reject.ASSET_UNKNOWN),
        (1, {"to": "ann"}, Reject.RECEIVER_SELF),
        (1, {"to": "nobody", "uid": 5}, Reject.RECEIVER_UNKNOWN),
        (1, {"to": "nobody", "uid": FEES_UID}, Reject.RECEIVER_UNKNOWN),
        (1, {"to": "nobody", "uid": FUND_UID}, Reject.RECEIVER_UNKNOWN),
        (1, {"who": "ben", "to": "ann"}, Reject.NO_AFFILIATE),
    ],
)
def test_what_is_refused_changes_nothing(
    world: World, amount: int, more: dict[str, str | int], reason: Reject
) -> None:
    assert refusal(send(world, amount, "", **more)) == reason


def test_money_that_an_order_holds_stays(world: World) -> None:
    world.rest("ann", BUY, 10_000, 100)
    held = world.locked("ann", "USDT")
    assert held > 0
    assert refusal(send(world, PLENTY - held + 1, asset="USDT")) == Reject.FUNDS
    send(world, PLENTY - held, asset="USDT")
    assert (world.free("ann", "USDT"), world.locked("ann", "USDT")) == (0, held)


def test_a_frozen_owner_sends_nothing_and_may_be_sent_to(world: World) -> None:
    """Money sent to a frozen owner stays there: a refusal would tell others that it is frozen."""
    world.ok(commands.FreezeOwner(world.uids["ben"], True))
    send(world, 5)
    assert world.free("ben", "BTC") == PLENTY + 5
    world.ok(commands.FreezeOwner(world.uids["ann"], True))
    assert refusal(send(world, 5)) == Reject.ACCOUNT_FROZEN


def test_the_same_client_id_has_one_effect_for_a_day(world: World) -> None:
    world.time = 10 * CLIENT_ID_MEMORY_US
    send(world, 5, "once")
    assert send(world, 5, "once") == [MovementRepeated(ID)]
    for more in ({"to": "cat"}, {"asset": "ETH"}, {"target": FUNDING}, {"source": FUNDING}):
        assert refusal(send(world, 5, "once", **more)) == Reject.CLIENT_ID_USED
    assert refusal(send(world, 6, "once")) == Reject.CLIENT_ID_USED
    assert world.free("ben", "BTC") == PLENTY + 5
    world.ok(commands.FreezeOwner(world.uids["ann"], True))
    assert send(world, 5, "once") == [MovementRepeated(ID)]  # before what else may be wrong
    world.ok(commands.FreezeOwner(world.uids["ann"], False))
    world.engine = snapshot.load(snapshot.dump(world.engine))
    assert send(world, 5, "once") == [MovementRepeated(ID)]
    world.time += CLIENT_ID_MEMORY_US
    assert isinstance(send(world, 5, "once")[0], InternallyWithdrawn)
    assert world.free("ben", "BTC") == PLENTY + 10


def test_without_a_client_id_each_is_another(world: World) -> None:
    send(world, 5)
    send(world, 5)
    assert world.free("ben", "BTC") == PLENTY + 10
    assert world.engine.withdrawals.sent == {}


def test_another_owners_client_id_is_nothing_to_mine(world: World) -> None:
    world.ok(SetAffiliate(world.uids["cat"], "CAT", 0, 0))
    send(world, 5, "same")
    assert isinstance(send(world, 5, "same", who="cat")[0], InternallyWithdrawn)
    assert world.free("ben", "BTC") == PLENTY + 10


def test_remembered_client_ids_are_bounded_for_each_owner(world: World) -> None:
    for number in range(SENT_PER_OWNER_MAX + 2):
        world.engine.withdrawals.withdraw(
            InternalWithdraw(world.uids["ann"], world.uids["ben"], SPOT, SPOT, "BTC", 1,
                             f"id {number}", time=world.time)
        )  # fmt: skip
    own = world.engine.withdrawals.sent[world.uids["ann"]]
    assert len(own) == SENT_PER_OWNER_MAX
    assert next(iter(own)) == "id 2"


def test_a_refused_one_leaves_its_client_id_free(world: World) -> None:
    assert refusal(send(world, PLENTY + 1, "later")) == Reject.FUNDS
    assert isinstance(send(world, PLENTY, "later")[0], InternallyWithdrawn)


def test_a_gift_leaves_by_no_way() -> None:
    """Two accounts of one person: a gift to the first does not come to the second."""
    world = ContractWorld("ann", "ben")
    ann = world.uids["ann"]
    world.ok(SetAffiliate(ann, "ANN", 0, 0))
    pool = world.account("ann").contract[world.engine.ledger.ordinals["QQQ"]]
    own = pool.collateral
    world.ok(ChangeGift(ann, "QQQ", 600))
    assert refusal(
        world.apply(commands.Transfer(ann, CONTRACT, SPOT, "QQQ", own + 1))
    ) == Reject.FUNDS  # fmt: skip
    world.ok(commands.Transfer(ann, CONTRACT, SPOT, "QQQ", own))
    spot = world.account("ann").spot[pool.asset].free
    assert refusal(send(world, spot + 1, asset="QQQ")) == Reject.FUNDS
    send(world, spot, asset="QQQ")
    assert pool.collateral == 600
