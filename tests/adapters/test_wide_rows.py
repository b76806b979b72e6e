"""Rows hold 64 bits: of a larger number they hold the bound, and sums of them may be larger."""

from __future__ import annotations

import pytest

from venue.core.messages.applied import Applied
from venue.core.messages.benefit_events import CommissionPaid
from venue.core.messages.commands import Tick
from venue.core.messages.events import WalletMoved
from venue.core.units import STORED_MAX
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import affiliates
from venue.history.sql import transaction
from venue.history.store import open_history
from venue.history.tables.affiliates import CommissionsOf, EarnedSums

INVITER, OWNER, DAY = 10_000_001, 10_000_002, 20_000
SIZES = [STORED_MAX, 2**63, 2**64 + 1, 10**30, -(2**63), -(10**30)]


@pytest.mark.parametrize("number", SIZES)
def test_a_row_holds_the_bound_of_a_number_beyond_64_bits(number: int) -> None:
    store = open_history(None)
    moved = WalletMoved(1, OWNER, 0, "WEI", "deposit", number, number)
    Projector(store, Catalog()).project([Applied(1, 5, Tick(5), [moved])])
    (held,) = store.connection.execute("SELECT amount, after FROM bills")
    bound = max(-STORED_MAX - 1, min(number, STORED_MAX))
    assert tuple(held) == (bound, bound)
    store.close()


def test_each_row_of_a_batch_is_written_once_whichever_is_beyond_64_bits() -> None:
    store = open_history(None)
    amounts = [1, 2**64, 2, 3, -(2**70), 2**80, 4]
    moved = [
        WalletMoved(place + 1, OWNER, 0, "WEI", "deposit", amount, 0)
        for place, amount in enumerate(amounts)
    ]
    Projector(store, Catalog()).project([Applied(1, 5, Tick(5), [*moved])])
    held = list(store.connection.execute("SELECT bill_id, amount FROM bills ORDER BY bill_id"))
    bounds = [max(-STORED_MAX - 1, min(amount, STORED_MAX)) for amount in amounts]
    assert held == list(enumerate(bounds, 1))
    store.close()


def test_sums_of_an_affiliate_may_leave_64_bits() -> None:
    store = open_history(None)
    projector = Projector(store, Catalog())
    for number in range(3):
        paid = CommissionPaid(
            INVITER, OWNER, DAY + number, 0, "WEI", STORED_MAX, STORED_MAX - number, 100_000,
            STORED_MAX, 2**62,
        )  # fmt: skip
        bill = WalletMoved(number + 1, INVITER, 0, "WEI", "order_fill_fee_income", 1, 1)
        projector.project([Applied(number + 1, 5, Tick(5), [paid, bill])])
    which = CommissionsOf([INVITER], DAY, DAY + 2)
    with transaction(store.connection):
        found = affiliates.earned_sums(store.connection, which, [OWNER])
    assert found == [EarnedSums(OWNER, 0, "WEI", 3 * (STORED_MAX + 2**62), 3 * STORED_MAX - 3)]
    store.close()
