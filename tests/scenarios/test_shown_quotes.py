"""Quotes shown for a moment, when a sample is taken: their effect on a funding rate (rule 6.4)."""

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, HOUR, START, ContractWorld, of
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderPlaced, FundingDue
from venue.vocabulary import BUY, LONG, SELL, SHORT

pytestmark = pytest.mark.core

SAMPLES = 719  # of the hour until the funding is due, one each five seconds


def rate_after(shown: int, side: int) -> tuple[int, int]:
    """The rate (ppb), and the payment to dan's long of 100,000, when ann shows a quote a tenth away
    from the index in the first `shown` samples of the interval, an hour, in a book where nobody
    else quotes."""
    hourly = replace(CONTRACT, funding_minutes=tuple(range(0, 1_440, 60)))
    world = ContractWorld("ann", "dan", "eve", contract=hourly, checked=False)
    world.trade("dan", "eve", 100, 1_000)
    before = world.money("dan")
    position_side, price = (LONG, 1_100) if side == BUY else (SHORT, 900)
    for number in range(SAMPLES):
        world.wait(5)
        quote = 0
        if number < shown:
            (placed,) = world.order("ann", side, position_side, 12, price)
            assert isinstance(placed, ContractOrderPlaced)
            quote = placed.order_id
        world.post(1_000)
        world.tick()
        if quote:
            world.ok(commands.CancelContractOrder(world.uids["ann"], quote))
    world.time = START + HOUR
    world.post(1_000)
    (due,) = of(world.tick(), FundingDue)
    return due.rate_ppb, world.money("dan") - before


@pytest.mark.parametrize("side", [BUY, SELL])
def test_a_far_quote_in_a_few_samples_chooses_no_payer(side: int) -> None:
    """36 of 720 samples 10 % away were an average of 0.5 %: the cap of 0.3 %, and 300 atoms of
    dan's, or to him. Counted within the cap + 0.05 % they are 0.0175 %, less than the part drawn
    towards the interest: the rate is that of a market without premiums."""
    rate, paid = rate_after(36, side)
    assert (rate, paid) == rate_after(0, side)
    assert abs(rate) <= 100_000


def test_thirty_shown_quotes_move_the_mark_by_its_clamp_and_no_further() -> None:
    """Rule 6.2: half of the smallest maintenance rate, 1 % here, whatever is shown."""
    world = ContractWorld("ann", checked=False)
    for number in range(60):
        world.wait(5)
        (placed,) = world.order("ann", BUY, LONG, 12, 1_100)
        assert isinstance(placed, ContractOrderPlaced)
        world.tell(1_000)
        world.tick()
        world.ok(commands.CancelContractOrder(world.uids["ann"], placed.order_id))
        assert world.perp.mark <= 1_005
        assert (world.perp.mark == 1_005) == (number >= 29)


def test_a_premium_that_lasts_reaches_the_cap() -> None:
    rate, paid = rate_after(SAMPLES, BUY)
    assert rate > 2_990_000
    assert paid <= -299
