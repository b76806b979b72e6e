"""Accounts and balanced entries; the only place where money moves (rule 2.3).

Balances are lists of atoms by asset ordinal. Every entry's postings sum to zero per asset: what one
account (owner, fees, external) gains, others lose.
"""

from __future__ import annotations

from venue.core.instruments import Asset
from venue.core.ledger.accounts import Account, Balance, Cash
from venue.core.ledger.benefits import DiscountTerms
from venue.core.units import PPM
from venue.vocabulary import PRODUCT_CONTRACT, WALLET_SPOT, Wallet


class Ledger:
    """All balances. `external` is where deposits come from and withdrawals go to: its balances are
    negative, unless winners withdrew more than came in and a loser's debt stays (rule 7.4).

    `dust` holds the remainders of rounding, and the money of a running funding settlement. `names`
    are the owners' uids by name, `ordinals` the positions of assets in lists by name, `terms` those
    of the fee discount.
    """

    __slots__ = ("accounts", "assets", "dust", "external", "fees", "names", "ordinals", "terms")

    def __init__(self) -> None:
        self.accounts: dict[int, Account] = {}
        self.assets: list[Asset] = []
        self.ordinals: dict[str, int] = {}
        self.fees: list[int] = []
        self.external: list[int] = []
        self.dust: list[int] = []
        self.names: dict[str, int] = {}
        self.terms = DiscountTerms()

    def open(self, uid: int, name: str, self_trade: int = 0) -> Account:
        """Create an empty account."""
        assert uid not in self.accounts, f"uid {uid} is taken"
        assert name not in self.names, f"the name {name} is taken"
        account = Account(uid, name, self_trade, len(self.assets))
        self.accounts[uid] = account
        self.names[name] = uid
        return account

    def register(self, asset: Asset) -> None:
        """Add an asset to every account."""
        assert asset.name not in self.ordinals, f"{asset.name} is registered"
        self.ordinals[asset.name] = len(self.assets)
        self.assets.append(asset)
        self.fees.append(0)
        self.external.append(0)
        self.dust.append(0)
        for account in self.accounts.values():
            account.spot.append(Balance())
            account.contract.append(Cash(len(account.contract)))
            account.funding.append(0)

    def credit(self, account: Account, wallet: int, asset: int, amount: int) -> None:
        """Entry: external -> wallet; a negative amount is a withdrawal."""
        account.add(wallet, asset, amount)
        self.external[asset] -= amount

    def move(
        self, account: Account, receiver: Account, *, source: int, target: int, asset: int,
        amount: int,
    ) -> None:  # fmt: skip
        """Entry: one wallet -> another, of the same owner or of another one."""
        assert amount > 0, f"a move of {amount} atoms"
        account.add(source, asset, -amount)
        receiver.add(target, asset, amount)

    def hold(self, balance: Balance, amount: int) -> None:
        """Reserve free money for an open order."""
        assert 0 <= amount <= balance.free, f"{amount} atoms held of {balance.free}"
        balance.free -= amount
        balance.locked += amount

    def release(self, balance: Balance, amount: int) -> None:
        """Return a reservation to the free money."""
        assert 0 <= amount <= balance.locked, f"{amount} atoms released of {balance.locked}"
        balance.locked -= amount
        balance.free += amount

    def reserve(self, cash: Cash, margin: int, notional: int) -> None:
        """Hold margin for opening orders of this notional, in atoms, or (negative) release it."""
        cash.held += margin
        cash.promised += notional
        assert cash.held >= 0, f"open orders hold {cash.held} atoms"
        assert cash.promised >= 0, f"open orders open {cash.promised} atoms"

    def settle(
        self,
        taker_pays: Balance,
        taker_gets: Balance,
        maker_pays: Balance,
        maker_gets: Balance,
        paid_asset: int,
        got_asset: int,
        paid: int,
        got: int,
        taker_fee: int,
        maker_fee: int,
    ) -> None:
        """Entry of one fill: the taker and the maker exchange the amounts that the taker `paid` and
        `got`; each receiver pays its fee (rule 4.2).

        The maker pays from its locked money, the taker from its free money.
        """
        assert 0 <= taker_fee <= got, f"{taker_fee} atoms of fee on {got}"
        assert 0 <= maker_fee <= paid, f"{maker_fee} atoms of fee on {paid}"
        assert taker_pays is not taker_gets, "a taker is paid in what it pays"
        assert maker_pays is not maker_gets, "a maker is paid in what it pays"
        fees = self.fees
        two = taker_pays is not maker_gets  # an owner trading with itself has one
        paid_fees, got_fees = fees[paid_asset], fees[got_asset]
        paid_before = taker_pays.free + paid_fees
        if two:
            paid_before += maker_gets.free
        got_before = maker_pays.locked + taker_gets.free + got_fees
        taker_pays.free -= paid
        maker_pays.locked -= got
        assert taker_pays.free >= 0 <= maker_pays.locked, "a payer has too little money"
        taker_gets.free += got - taker_fee
        maker_gets.free += paid - maker_fee
        fees[got_asset] = got_fees + taker_fee
        fees[paid_asset] = paid_fees + maker_fee
        paid_after = taker_pays.free + fees[paid_asset]
        if two:
            paid_after += maker_gets.free
        got_after = maker_pays.locked + taker_gets.free + fees[got_asset]
        assert paid_after == paid_before, "the postings of what is paid do not sum to zero"
        assert got_after == got_before, "the postings of what is got do not sum to zero"

    def exchange(self, source: Cash, target: Cash, amount: int) -> None:
        """Entry: one pool -> another."""
        assert source.asset == target.asset, f"{amount} atoms become those of another asset"
        source.collateral -= amount
        target.collateral += amount

    def trade(
        self, long: Cash, short: Cash, notional: int, long_fee: int, short_fee: int, fees: Cash
    ) -> None:
        """Entry of one contract trade: the buyer's cash goes to the seller (rule 5.2)."""
        assert long.asset == short.asset == fees.asset, "a trade is settled in one asset"
        assert notional > 0 <= long_fee, f"{long_fee} atoms of fee on {notional}"
        assert short_fee >= 0, f"{short_fee} atoms of fee on {notional}"
        before = _collateral(long, short, fees)
        long.collateral -= notional + long_fee
        short.collateral += notional - short_fee
        fees.collateral += long_fee + short_fee
        after = _collateral(long, short, fees)
        assert after == before, "the postings do not sum to zero"

    def pay_commission(self, inviter: Account, asset: int, amount: int, fees: Cash | None) -> None:
        """Entry: the fee account's pool, or (None) the spot fees -> an affiliate's spot wallet."""
        there = fees.collateral if fees is not None else self.fees[asset]
        assert 0 < amount <= there, f"{amount} atoms of commission out of {there}"
        if fees is not None:
            fees.collateral -= amount
        else:
            self.fees[asset] -= amount
        inviter.add(WALLET_SPOT, asset, amount)

    def rebate_ppm(self, account: Account) -> int:
        """Return the part of its contract fees that an owner gets back, in ppm: it has opted in,
        and has the token that the discount asks for in its spot or funding wallet (rule 9.3)."""
        terms, benefits = self.terms, account.benefits
        if benefits is None or not benefits.discount or terms.asset < 0:
            return 0
        token = account.spot[terms.asset]
        held = token.free + token.locked + account.funding[terms.asset]
        return terms.rate_ppm if held >= terms.holding else 0

    def share_of(self, inviter: int, product: int) -> int:
        """Return the share that an inviter (0: nobody) has of fees in a product, in ppm."""
        if not inviter:
            return 0
        benefits = self.accounts[inviter].benefits
        if benefits is None or benefits.affiliate is None:
            return 0
        affiliate = benefits.affiliate
        return affiliate.contract_ppm if product == PRODUCT_CONTRACT else affiliate.spot_ppm

    def pay_funding(self, cash: Cash, amount: int) -> None:
        """Entry of one position's funding: dust -> pool, or (negative) pool -> dust."""
        cash.collateral += amount
        self.dust[cash.asset] -= amount

    def imbalance(self) -> dict[str, int]:
        """Per asset, the sum over all accounts where it is not zero: empty, always (rule 2.3)."""
        sums = [sum(own) for own in zip(self.fees, self.external, self.dust, strict=True)]
        for account in self.accounts.values():
            for asset in range(len(sums)):
                for wallet in Wallet:
                    sums[asset] += account.total(wallet, asset)
            for cash in account.isolated.values():
                sums[cash.asset] += cash.collateral
        return {asset.name: total for asset, total in zip(self.assets, sums, strict=True) if total}


def _collateral(long: Cash, short: Cash, fees: Cash) -> int:
    """Return the sum of three pools, each counted once: an owner that trades with itself may have
    one for both sides, and the fee account may trade."""
    total = long.collateral
    if short is not long:
        total += short.collateral
    if fees is not long and fees is not short:
        total += fees.collateral
    return total


def fee_on(amount: int, rate_ppm: int) -> int:
    """Return the fee on `amount` atoms at `rate_ppm`, rounded up against the payer (rule 1.2)."""
    # Compiled, a product is dear when a factor is beyond 2^30 or negative: millions go apart.
    millions = amount // PPM
    return millions * rate_ppm - (-((amount - millions * PPM) * rate_ppm) // PPM)
