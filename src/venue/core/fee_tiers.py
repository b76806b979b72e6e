"""Fee tiers: gives lower fees to an owner that traded much in 30 days (rule 9.5)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.ledger.accounts import Account
from venue.core.ledger.ledger import Ledger
from venue.core.messages.benefit_commands import FeeTier, SetFeeTiers
from venue.core.messages.benefit_events import FeeTierReached, FeeTiersSet
from venue.core.messages.commands import SetFees
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Event, FeesSet, Rejected, Trade
from venue.core.owners import Owners
from venue.core.rewards import RESERVED
from venue.core.spot.orders import Spot
from venue.core.units import AMOUNT_MAX, DAY_US, PPM, part_down
from venue.vocabulary import (
    BUY,
    CAUSES_OUTSIDE,
    FEE_TIERS_MAX,
    PRODUCT_CONTRACT,
    PRODUCT_SPOT,
    Reject,
)

DAYS: Final = 30
CHUNK: Final = 250  # owners assessed by one slice

Who = tuple[int, int]  # uid, `vocabulary.Product`


class Table:
    """A product's tiers, lowest first. Volume counts in markets of the asset at `asset`; without
    tiers nothing counts, and volume counted before is of that asset. `least` is the lowest of the
    rates (ppm) that is not 0; 0 when all are 0."""

    __slots__ = ("asset", "least", "tiers")

    def __init__(self, asset: int, tiers: list[FeeTier]) -> None:
        self.asset = asset
        self.tiers = tiers
        rates = [rate for each in tiers for rate in (each.maker_ppm, each.taker_ppm) if rate]
        self.least = min(rates, default=0)


class Standing:
    """The volume of one owner in one product: `today` on `day` (days since 1970), and `past` as
    (day, atoms), oldest first; `level` of its tier (0: none) and the tier's rates.

    `own`: the owner has its own rates, which override the tier's.
    """

    __slots__ = ("day", "level", "maker_ppm", "own", "past", "taker_ppm", "today")

    def __init__(self) -> None:
        self.day = 0
        self.today = 0
        self.past: list[tuple[int, int]] = []
        self.level = 0
        self.maker_ppm = -1
        self.taker_ppm = -1
        self.own = False

    def add(self, day: int, amount: int) -> None:
        """Count volume."""
        self.close(day)
        self.today = min(AMOUNT_MAX, self.today + amount)

    def close(self, day: int) -> None:
        """Start a new day; volume of more than 30 days before it is dropped."""
        if day != self.day:
            if self.today:
                self.past.append((self.day, self.today))
            self.day = day
            self.today = 0
        self.past = [one for one in self.past if one[0] >= day - DAYS]

    def volume(self) -> int:
        """Return the volume of the 30 days before `day`, in atoms."""
        return min(AMOUNT_MAX, sum([amount for _, amount in self.past]))


class FeeTiers:
    """`tables` by product; `standings` of owners that traded since there was a table. `day` is the
    last one on which owners were assessed, `queue` the owners still to be assessed on it."""

    __slots__ = ("day", "ledger", "owners", "perps", "queue", "spot", "standings", "tables")

    def __init__(self, owners: Owners, spot: Spot, contracts: Contracts) -> None:
        self.ledger: Ledger = owners.ledger
        self.owners = owners
        self.spot = spot.markets
        self.perps = contracts.markets
        self.tables: dict[int, Table] = {}
        self.standings: dict[Who, Standing] = {}
        self.day = 0
        self.queue: list[Who] = []

    # -- the operator's ---------------------------------------------------------------------------

    def set_tiers(self, command: SetFeeTiers) -> list[Event]:
        """Replace the tiers, or remove them; owners are assessed by them from the next 00:00 UTC
        on."""
        assert command.product in (PRODUCT_SPOT, PRODUCT_CONTRACT), command
        tiers = command.tiers
        known = self.tables.get(command.product)
        if not tiers:
            if known is not None:
                known.tiers = []  # the asset stays: it is the one that volumes are of
            return [FeeTiersSet(command.product, 0)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        if len(tiers) > FEE_TIERS_MAX:
            return [Rejected(Reject.FEE_TIERS, FEE_TIERS_MAX)]
        before = 0
        for tier in tiers:
            if not before < tier.volume <= AMOUNT_MAX:
                return [Rejected(Reject.FEE_TIERS, before)]
            if not (0 <= tier.maker_ppm < PPM and 0 <= tier.taker_ppm < PPM):
                return [Rejected(Reject.FEE_RATE, PPM - 1)]
            before = tier.volume
        if known is not None and known.asset != asset:
            self._forget(command.product)  # amounts of one asset say nothing of another's
        if not self.day:
            self.day = command.time // DAY_US
        self.tables[command.product] = Table(asset, tiers)
        return [FeeTiersSet(command.product, len(tiers))]

    def _forget(self, product: int) -> None:
        for who, standing in self.standings.items():
            if who[1] == product:
                standing.past = []
                standing.today = 0

    def set_fees(self, command: SetFees) -> list[Event]:
        """Set an owner's own rates, which override its tier's."""
        events = self.owners.set_fees(command)
        standing = self.standings.get((command.uid, command.product))
        if standing is not None and isinstance(events[0], FeesSet):
            standing.own = command.maker_ppm >= 0
            self._apply(self.ledger.accounts[command.uid], command.product, standing)
        return events

    # -- volume -----------------------------------------------------------------------------------

    def count(self, events: list[Event], time: int) -> None:
        """Count the volume of trades with other owners, as far as the venue earned fees from it."""
        day = time // DAY_US
        for event in events:
            if type(event) is Trade:
                if event.quote_fee and event.maker_uid != event.taker_uid:
                    quote = self.spot[event.symbol].quote
                    seller = event.maker_uid if event.taker_side == BUY else event.taker_uid
                    fees = self._net_fee(PRODUCT_SPOT, seller, event.quote_fee)
                    pair = (event.maker_uid, event.taker_uid)
                    self._trade(PRODUCT_SPOT, quote, pair, event.notional, fees, day)
            elif type(event) is ContractTrade:
                maker, taker = event.maker, event.taker
                if (
                    maker.fee + taker.fee
                    and maker.uid != taker.uid
                    and event.cause not in CAUSES_OUTSIDE
                ):
                    asset = self.perps[event.symbol].market.quote
                    fees = self._net_fee(PRODUCT_CONTRACT, maker.uid, maker.fee)
                    fees += self._net_fee(PRODUCT_CONTRACT, taker.uid, taker.fee)
                    pair = (maker.uid, taker.uid)
                    self._trade(PRODUCT_CONTRACT, asset, pair, event.notional, fees, day)

    def _net_fee(self, product: int, uid: int, fee: int) -> int:
        """Return the part of a fee that the venue keeps: without the refund and the inviter's
        share."""
        account = self.ledger.accounts[uid]
        benefits = account.benefits
        if benefits is None:
            return fee
        if product == PRODUCT_CONTRACT:
            fee -= part_down(fee, self.ledger.rebate_ppm(account), PPM)
        return fee - part_down(fee, self.ledger.share_of(benefits.inviter, product), PPM)

    def _trade(
        self, product: int, asset: int, pair: tuple[int, int], notional: int, fees: int, day: int
    ) -> None:
        """Count a trade for both sides, as far as `fees` in the tiers' asset reach those of the
        best tier: a fee in another asset, or hardly any fee, must not earn a lower one."""
        table = self.tables.get(product)
        if table is None or not table.tiers or table.asset != asset:
            return
        amount = min(notional, fees * PPM // table.least if table.least else notional)
        if amount and fees:
            for uid in pair:
                self._add(product, uid, amount, day)

    def _add(self, product: int, uid: int, amount: int, day: int) -> None:
        if uid in RESERVED:
            return
        standing = self.standings.get((uid, product))
        if standing is None:
            standing = self.standings[uid, product] = Standing()
            standing.own = self.rates_of(self.ledger.accounts[uid], product)[0] >= 0
        standing.add(day, amount)

    # -- 00:00 UTC --------------------------------------------------------------------------------

    def pass_time(self, time: int) -> list[Event]:
        """On a new day, assess all owners by the 30 days before it, in bounded steps."""
        if not self.standings:
            return []
        day = time // DAY_US
        if day != self.day:
            self.day = day
            self.queue = list(self.standings)
            self.queue.reverse()
        events: list[Event] = []
        for _ in range(min(CHUNK, len(self.queue))):
            self._judge(self.queue.pop(), events)
        return events

    def _judge(self, who: Who, events: list[Event]) -> None:
        uid, product = who
        standing = self.standings[who]
        standing.close(self.day)
        volume = standing.volume()
        table = self.tables.get(product)
        level, maker_ppm, taker_ppm = 0, -1, -1
        for number, tier in enumerate(table.tiers if table is not None else (), 1):
            if volume >= tier.volume:
                level, maker_ppm, taker_ppm = number, tier.maker_ppm, tier.taker_ppm
        before = (standing.level, standing.maker_ppm, standing.taker_ppm)
        standing.level = level
        standing.maker_ppm = maker_ppm
        standing.taker_ppm = taker_ppm
        if before != (level, maker_ppm, taker_ppm):
            self._apply(self.ledger.accounts[uid], product, standing)
            events.append(FeeTierReached(uid, product, level, volume, maker_ppm, taker_ppm))
        if not level and not standing.past and not standing.today:
            del self.standings[who]

    def _apply(self, account: Account, product: int, standing: Standing) -> None:
        if standing.own:
            return
        if product == PRODUCT_CONTRACT:
            holding = self.owners.collateral.holding_of(account)
            holding.maker_ppm = standing.maker_ppm
            holding.taker_ppm = standing.taker_ppm
        else:
            account.maker_ppm = standing.maker_ppm
            account.taker_ppm = standing.taker_ppm

    def rates_of(self, account: Account, product: int) -> tuple[int, int]:
        """Return the maker's and taker's rates that replace the symbols' for an owner, in ppm; -1:
        none."""
        if product == PRODUCT_SPOT:
            return account.maker_ppm, account.taker_ppm
        holding = self.owners.collateral.holding_of(account)
        return holding.maker_ppm, holding.taker_ppm
