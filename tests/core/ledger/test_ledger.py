"""Balanced entries: after every move the sum over all accounts is zero (rules 2.2, 2.3)."""

import math
from fractions import Fraction

import pytest

from venue.core.instruments import Asset
from venue.core.ledger.accounts import Account
from venue.core.ledger.ledger import Ledger, fee_on
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import Side, Wallet

pytestmark = pytest.mark.core

SPOT, CONTRACT, FUNDING = int(Wallet.SPOT), int(Wallet.CONTRACT), int(Wallet.FUNDING)
BASE, QUOTE = 0, 1


def ledger() -> tuple[Ledger, Account, Account]:
    book = Ledger()
    for uid, name in ((1, "ann"), (2, "ben")):
        book.accounts[uid] = Account(uid, name, 0, 0)
    book.register(Asset("BTC", 1, 8))
    book.register(Asset("USDT", 2, 8))
    return book, book.accounts[1], book.accounts[2]


def test_registering_makes_room_everywhere() -> None:
    book, ann, _ = ledger()
    assert book.ordinals == {"BTC": 0, "USDT": 1}
    assert [(held.free, held.locked) for held in ann.spot] == [(0, 0)] * 2
    assert [pool.collateral for pool in ann.contract] == ann.funding == [0, 0]
    assert book.fees == book.external == [0, 0]


@pytest.mark.parametrize("wallet", [SPOT, CONTRACT, FUNDING])
def test_deposits_and_withdrawals_are_against_external(wallet: int) -> None:
    book, ann, _ = ledger()
    book.credit(ann, wallet, QUOTE, 100)
    assert (ann.free(wallet, QUOTE), book.external) == (100, [0, -100])
    book.credit(ann, wallet, QUOTE, -30)
    assert (ann.total(wallet, QUOTE), book.external) == (70, [0, -70])
    assert book.imbalance() == {}


def test_a_move_is_between_wallets() -> None:
    book, ann, _ = ledger()
    book.credit(ann, SPOT, QUOTE, 100)
    book.move(ann, ann, source=SPOT, target=CONTRACT, asset=QUOTE, amount=40)
    book.move(ann, ann, source=CONTRACT, target=FUNDING, asset=QUOTE, amount=15)
    assert (ann.spot[QUOTE].free, ann.contract[QUOTE].collateral) == (60, 25)
    assert ann.funding[QUOTE] == 15
    assert book.imbalance() == {}


def test_hold_and_release_keep_the_total() -> None:
    book, ann, _ = ledger()
    book.credit(ann, SPOT, QUOTE, 100)
    book.hold(ann.spot[QUOTE], 60)
    assert (ann.spot[QUOTE].free, ann.spot[QUOTE].locked, ann.total(SPOT, QUOTE)) == (40, 60, 100)
    book.release(ann.spot[QUOTE], 60)
    assert (ann.spot[QUOTE].free, ann.spot[QUOTE].locked) == (100, 0)


@pytest.mark.parametrize("taker_side", list(Side))
def test_a_fill_takes_from_the_makers_lock_and_the_takers_free(taker_side: Side) -> None:
    """Rule 4.2: each pays its fee in what it receives."""
    book, taker, maker = ledger()
    paid = QUOTE if taker_side == Side.BUY else BASE
    got = BASE if taker_side == Side.BUY else QUOTE
    amounts = {BASE: 10, QUOTE: 500}
    fees = {BASE: 1, QUOTE: 7}
    book.credit(taker, SPOT, paid, amounts[paid])
    book.credit(maker, SPOT, got, amounts[got])
    book.hold(maker.spot[got], amounts[got])
    spots = taker.spot + maker.spot
    book.settle(
        taker.spot[paid], taker.spot[got], maker.spot[got], maker.spot[paid], paid, got,
        amounts[paid], amounts[got], fees[got], fees[paid],
    )  # fmt: skip
    assert (taker.spot[paid].free, taker.spot[got].free) == (0, amounts[got] - fees[got])
    assert (maker.spot[paid].free, maker.spot[got].free) == (amounts[paid] - fees[paid], 0)
    assert [held.locked for held in spots] == [0] * 4
    assert book.fees == [1, 7]
    assert book.imbalance() == {}


@pytest.mark.parametrize("wallet", [SPOT, CONTRACT, FUNDING])
def test_an_imbalance_is_seen_in_every_wallet(wallet: int) -> None:
    book, ann, _ = ledger()
    ann.add(wallet, BASE, 3)
    assert book.imbalance() == {"BTC": 3}
    book.fees[QUOTE] -= 1
    ann.spot[BASE].locked += 1
    assert book.imbalance() == {"BTC": 4, "USDT": -1}


# -- guards: a defect elsewhere ends here, before money is made or taken -------------------------


def test_nobody_holds_or_releases_more_than_there_is() -> None:
    book, ann, _ = ledger()
    book.credit(ann, SPOT, QUOTE, 100)
    with pytest.raises(AssertionError, match="101 atoms held of 100"):
        book.hold(ann.spot[QUOTE], 101)
    book.hold(ann.spot[QUOTE], 60)
    with pytest.raises(AssertionError, match="61 atoms released of 60"):
        book.release(ann.spot[QUOTE], 61)
    with pytest.raises(AssertionError, match="-1 atoms held"):
        book.hold(ann.spot[QUOTE], -1)
    assert (ann.spot[QUOTE].free, ann.spot[QUOTE].locked) == (40, 60)


def test_a_pool_never_holds_less_than_nothing() -> None:
    book, ann, _ = ledger()
    pool = ann.contract[QUOTE]
    book.reserve(pool, 10, 500)
    book.reserve(pool, -10, -500)
    with pytest.raises(AssertionError, match="open orders hold -1 atoms"):
        book.reserve(pool, -1, 0)


@pytest.mark.parametrize(("base_fee", "quote_fee"), [(11, 7), (-1, 7), (1, 501), (1, -1)])
def test_a_fill_with_an_absurd_fee_is_not_settled(base_fee: int, quote_fee: int) -> None:
    book, ann, ben = ledger()
    book.credit(ann, SPOT, QUOTE, 500)
    book.credit(ben, SPOT, BASE, 10)
    book.hold(ben.spot[BASE], 10)
    with pytest.raises(AssertionError, match="atoms of fee on"):
        book.settle(
            ann.spot[QUOTE], ann.spot[BASE], ben.spot[BASE], ben.spot[QUOTE], QUOTE, BASE, 500, 10,
            base_fee, quote_fee,
        )  # fmt: skip
    assert (ann.spot[QUOTE].free, ben.spot[BASE].locked, book.fees) == (500, 10, [0, 0])


def test_who_trades_has_the_money() -> None:
    book, ann, ben = ledger()
    book.credit(ben, SPOT, BASE, 10)
    book.hold(ben.spot[BASE], 10)
    with pytest.raises(AssertionError, match="a payer has too little money"):
        book.settle(
            ann.spot[QUOTE], ann.spot[BASE], ben.spot[BASE], ben.spot[QUOTE], QUOTE, BASE, 500, 10,
            1, 7,
        )  # fmt: skip


def test_a_fill_between_mixed_up_balances_is_not_settled() -> None:
    book, ann, ben = ledger()
    for owner in (ann, ben):
        for asset in (BASE, QUOTE):
            book.credit(owner, SPOT, asset, 1_000)
            book.hold(owner.spot[asset], 500)
    a, b = ann.spot, ben.spot
    for balances, said in (
        ((a[QUOTE], a[QUOTE], b[BASE], b[QUOTE]), "a taker is paid in what it pays"),
        ((a[QUOTE], a[BASE], b[BASE], b[BASE]), "a maker is paid in what it pays"),
        ((a[QUOTE], b[BASE], b[QUOTE], b[BASE]), "of what is paid do not sum to zero"),
    ):
        with pytest.raises(AssertionError, match=said):
            book.settle(*balances, QUOTE, BASE, 500, 10, 1, 7)


def test_a_fill_with_the_fees_in_one_asset_does_not_sum_to_zero() -> None:
    book, ann, ben = ledger()
    book.credit(ann, SPOT, QUOTE, 500)
    book.credit(ben, SPOT, BASE, 10)
    book.hold(ben.spot[BASE], 10)
    with pytest.raises(AssertionError, match="the postings of what is got do not sum to zero"):
        book.settle(
            ann.spot[QUOTE], ann.spot[BASE], ben.spot[BASE], ben.spot[QUOTE], QUOTE, QUOTE, 500, 10,
            1, 7,
        )  # fmt: skip


def test_who_trades_with_itself_pays_the_fees_alone() -> None:
    book, ann, _ = ledger()
    book.credit(ann, SPOT, QUOTE, 500)
    book.credit(ann, SPOT, BASE, 10)
    book.hold(ann.spot[BASE], 10)
    base, quote = ann.spot[BASE], ann.spot[QUOTE]
    book.settle(quote, base, base, quote, QUOTE, BASE, 500, 10, 1, 7)
    assert (base.free, base.locked, quote.free, quote.locked) == (9, 0, 493, 0)
    assert book.imbalance() == {}
    pool, fees = ann.contract[QUOTE], Account(3, "fees", 0, 2).contract[QUOTE]
    book.trade(pool, pool, 100, 2, 1, fees)
    assert (pool.collateral, fees.collateral) == (-3, 3)


def test_the_fee_account_may_be_a_side_of_a_contract_trade() -> None:
    book, ann, ben = ledger()
    one, other = ann.contract[QUOTE], ben.contract[QUOTE]
    book.trade(one, other, 100, 2, 1, one)
    assert (one.collateral, other.collateral) == (-99, 99)
    book.trade(other, one, 100, 1, 2, one)
    assert (one.collateral, other.collateral) == (2, -2)
    book.trade(one, one, 100, 2, 1, one)
    assert (one.collateral, other.collateral) == (2, -2)


@pytest.mark.parametrize("wallet", [SPOT, FUNDING])
def test_no_posting_takes_more_than_is_free(wallet: int) -> None:
    book, ann, ben = ledger()
    book.credit(ann, wallet, QUOTE, 100)
    with pytest.raises(AssertionError, match=f"-1 atoms left in wallet {wallet} of ann"):
        book.move(ann, ben, source=wallet, target=SPOT, asset=QUOTE, amount=101)
    assert ben.spot[QUOTE].free == 0


def test_collateral_may_be_the_cash_leg_of_what_was_bought() -> None:
    book, ann, ben = ledger()
    fees = Account(3, "fees", 0, 2).contract[QUOTE]
    book.trade(ann.contract[QUOTE], ben.contract[QUOTE], 100, 2, 1, fees)
    ann.add(CONTRACT, QUOTE, -1)
    assert (ann.contract[QUOTE].collateral, ben.contract[QUOTE].collateral) == (-103, 99)


@pytest.mark.parametrize("amount", [-1, 0, 8])
def test_commissions_are_paid_out_of_fees_that_are_there(amount: int) -> None:
    book, ann, ben = ledger()
    fees = ben.contract[QUOTE]
    book.fees[QUOTE] = fees.collateral = 7
    for paying in (None, fees):
        with pytest.raises(AssertionError, match=f"{amount} atoms of commission out of 7"):
            book.pay_commission(ann, QUOTE, amount, paying)
    assert ann.spot[QUOTE].free == 0


def test_pools_of_two_assets_exchange_nothing() -> None:
    book, ann, _ = ledger()
    with pytest.raises(AssertionError, match="another asset"):
        book.exchange(ann.contract[BASE], ann.contract[QUOTE], 5)


@pytest.mark.parametrize("amount", [0, 1, 999, 1_000, 1_001, 10**18 + 1, AMOUNT_MAX])
@pytest.mark.parametrize("rate", [0, 1, 333, 1_000, PPM - 1])
def test_a_fee_rounds_against_the_payer_and_never_takes_more_than_there_is(
    amount: int, rate: int
) -> None:
    """Rule 1.2."""
    fee = fee_on(amount, rate)
    assert fee == math.ceil(Fraction(amount * rate, PPM))
    assert 0 <= fee <= amount
