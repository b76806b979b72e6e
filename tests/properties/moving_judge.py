"""A judge of moving worlds, from outside: by true prices, not by the venue's own.

Worth is counted at the price that honest people show. Nobody may by a command move its shortfall
there onto the fund, and the index moves only to where they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from properties.hearing import must
from properties.moving_world import FUND_UID, SECOND, UIDS, World
from venue.core.contract.collateral import available
from venue.core.contract.position import equity, maintenance
from venue.core.contract.records import Holding, Perpetual, Pool
from venue.core.engine import Engine
from venue.core.messages import commands as c
from venue.core.messages import contract_events as t
from venue.core.messages.commands import Command
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit
from venue.core.units import PPM
from venue.vocabulary import BUY, SELL, Cause, IncomeType

WINDOW: Final = 16 * SECOND  # how long a true price may still be in the index
FORCED: Final = (
    Cause.LIQUIDATION, Cause.TAKEOVER, Cause.DELEVERAGE, Cause.UNWIND, Cause.DELISTING,
)  # fmt: skip
PASSING: Final = (c.Tick, c.Proceed, c.PostIndex, c.SettleContract)  # marks move in them
NEAR_PPM: Final = 3_000  # a spot book tells a middle within 0.25 % of its sides
AGREED_PPM: Final = 8_000  # beside a feed it counts within 0.5 % of that
ROBBED_PERCENT: Final = 12
UNWIND_PPM: Final = 1_000
DAY: Final = 86_400 * SECOND
AUDITED: Final = 8  # commands, of which one is followed by an audit; each tick is
PREMIUM_PARTS: Final = 1_000  # of the first tier's greatest notional

Key = tuple[int, int]  # uid, pool: 0 the cross one


class MovingJudge:
    """Judges each command of one world. `shown` are the true prices as honest people last showed
    them; a contract that nobody shows has none. `robbed` is what copies cost a follower on a day.
    """

    def __init__(self, world: World, engine: Engine) -> None:
        self.world = world
        self.engine = engine
        self.shown: dict[str, int] = {}
        self.true: dict[str, deque[tuple[int, int]]] = {}
        self.worth: dict[Key, int] = {}
        self.left: dict[int, int] = {}
        self.alone: dict[str, int] = {}  # until when a book without honest people is the index
        self.index: dict[str, int] = {}
        self.money: dict[int, int] = {}
        self.began: dict[int, int] = {}
        self.paid = 0  # that copies lost in all, with what the mark's moves won or took
        self.won = 0  # the most that these had won
        self.robbed: dict[tuple[int, int], int] = {}
        self.stood: dict[Key, bool] = {}  # pools, and whether they were above their margin
        self.marks: dict[str, int] = {}
        self.rates: dict[str, int] = {}  # the greatest first maintenance rate so far, in ppm
        self.trades = self.liquidations = 0
        self.judged = 0  # commands

    # -- true prices -----------------------------------------------------------------------------

    def show(self, time: int) -> None:
        """True prices have moved, or people came and went: what is shown is another."""
        for symbol, asset in self.world.assets.items():
            window = self.true.setdefault(symbol, deque())
            window.append((time, asset.price))
            # A book that tells nothing says the index: its median is an index of before.
            window.append((time, self.index.get(symbol, 0) or asset.price))
            while window[0][0] < time - WINDOW:
                window.popleft()
            if asset.spot and asset.pulled and (asset.silent or not asset.posts):
                self.alone[symbol] = time + WINDOW
            first = asset.contract.tiers[0].maintenance_ppm
            self.rates[symbol] = max(self.rates.get(symbol, 0), first)
            if asset.shown:
                self.shown[symbol] = asset.price
            else:
                self.shown.pop(symbol, None)
        self._note()

    def unsure(self) -> None:
        """Between the true price's move and the last of the honest orders nothing is shown."""
        self.shown = {}
        for symbol, asset in self.world.assets.items():
            if symbol in self.true:
                self.true[symbol].append((self.true[symbol][-1][0], asset.price))
        self._note()

    def _note(self) -> None:
        """How everybody stands before the next command."""
        self.worth, self.left = {}, {}
        self.stood = {}
        for holding, pool in pools(self.engine):
            safe = pool.cash.collateral >= 0
            if pool.positions:
                safe = equity(pool) > maintenance(pool)
            self.stood[holding.account.uid, pool.position_id] = safe
            worth = self._worth(pool)
            if worth is not None:
                self.worth[holding.account.uid, pool.position_id] = worth
        for uid, holding in self.engine.contracts.collateral.holdings.items():
            self.left[uid] = available(holding, 0)
        for perp in self.engine.contracts.markets.values():
            self.index[perp.symbol] = perp.index_price
            self.marks[perp.symbol] = perp.mark
        frozen = self.engine.account(UIDS["zoe"])
        self.money = {}
        if frozen.frozen:
            self.money[frozen.uid] = sum(
                [cash.collateral for cash in (*frozen.contract, *frozen.isolated.values())]
            ) + sum([frozen.total(wallet, 0) for wallet in (0, 2)])

    def _worth(self, pool: Pool) -> int | None:
        """A pool's equity at the shown prices; None: one of them is not known."""
        total = pool.cash.collateral
        for position in pool.positions:
            perp = position.perp
            price = self.shown.get(perp.symbol)
            if price is None:
                return None
            total += position.side * price * position.quantity * perp.unit
        return total

    # -- one command -----------------------------------------------------------------------------

    def judge(self, command: Command, events: list[Event]) -> None:
        """Everything that must hold after one command."""
        if isinstance(command, c.Tick) or self.judged % AUDITED == 0:
            found = audit.problems(self.engine)
            must(not found, found)
        self.judged += 1
        if (not self.shown and not self.true) or (events and type(events[0]) is Rejected):
            return
        forced = {event.uid for event in events if isinstance(event, FORCING)}
        forced |= {e.uid for e in events if isinstance(e, t.Income) and funds(e)}
        trades = [event for event in events if isinstance(event, t.ContractTrade)]
        for trade in trades:
            if trade.cause in FORCED:
                forced |= {trade.taker.uid} | ({trade.maker.uid} if outside(trade) else set())
        self.trades += len(trades)
        self.liquidations += sum([isinstance(e, t.LiquidationStarted) for e in events])
        self._nobody_owes(command, trades, forced)
        self._fund_keeps(events, trades)
        self._available_stands(command, trades, forced)
        self._margins_stand(command, forced)
        self._one_step(command, events)
        self._fees_fit(trades)
        self._premiums_weigh(command, trades)
        self._frozen_keeps(command, trades, forced)
        self._index_follows(command.time)
        self._followers_keep(command, trades)
        if self.world.calm:
            self._calm(events)
        self._note()

    def _nobody_owes(
        self, command: Command, trades: list[t.ContractTrade], forced: set[int]
    ) -> None:
        """No owner's act makes a pool worth less than nothing at the shown prices, or still less:
        the fund would pay it."""
        for holding, pool in pools(self.engine):
            uid = holding.account.uid
            now = self._worth(pool)
            if now is None or now >= 0 or uid in forced or uid == FUND_UID:
                continue
            before = self.worth.get((uid, pool.position_id), 0)
            lots = sum([x.quantity * (x.maker.uid, x.taker.uid).count(uid) for x in trades])
            most = max([perp.unit for perp in self.engine.contracts.markets.values()], default=0)
            # Between ticks the best prices are doubt, and they lie a tick beside the true one.
            must(
                now >= min(0, before) - 2 * lots * most - 10 * len(trades),
                "at shown prices", uid, "is worth", now, "after", before, "by",
                type(command).__name__,
            )  # fmt: skip

    def _fund_keeps(self, events: list[Event], trades: list[t.ContractTrade]) -> None:
        """The fund pays at most what pools were already short of at the shown prices, and what the
        venue's marks differ from these in the lots that it took."""
        pool = self.engine.contracts.collateral.fund[0]
        now, before = self._worth(pool), self.worth.get((FUND_UID, 0))
        if now is None or before is None or now >= before:
            return
        allowed = 10 * (1 + len(trades))
        for trade in trades:
            if FUND_UID not in (trade.maker.uid, trade.taker.uid):
                continue
            perp = self.engine.contracts.markets[trade.symbol]
            size = trade.quantity * perp.unit
            shown = self.shown.get(trade.symbol, perp.mark)
            if trade.cause == Cause.UNWIND:
                near = perp.mark * UNWIND_PPM // PPM + span(perp) + 2
                allowed += size * near + trade.taker.fee
            else:
                allowed += size * (abs(perp.mark - shown) + 1) + trade.taker.fee
        for (uid, _), worth in self.worth.items():
            if worth < 0 and uid != FUND_UID:
                allowed -= worth
        allowed += sum([abs(e.amount) for e in events if isinstance(e, t.Income) and funds(e)])
        must(before - now <= allowed, "the fund lost", before - now, "and not", allowed)

    def _available_stands(
        self, command: Command, trades: list[t.ContractTrade], forced: set[int]
    ) -> None:
        """Available falls below zero by marks, funding, liquidation, or a close (rule 5.13)."""
        if isinstance(command, PASSING):
            return
        closers = {leg.uid for x in trades for leg in (x.maker, x.taker) if not leg.opens}
        for uid, holding in self.engine.contracts.collateral.holdings.items():
            if uid <= 3 or uid in forced or uid in closers:
                continue
            now, before = available(holding, 0), self.left.get(uid, 0)
            must(
                now >= 0 or now >= before,
                "available of", uid, "went from", before, "to", now, "by", type(command).__name__,
            )  # fmt: skip

    def _margins_stand(self, command: Command, forced: set[int]) -> None:
        """While no mark moves nobody falls to below its maintenance margin: not by a fill, and not
        by new terms (rules 1.7, 5.10). An owner may take out what is beyond its initial margin,
        which is the smaller one where a price has taken its position into a higher tier."""
        if isinstance(command, c.Transfer | c.Withdraw):
            return
        for holding, pool in pools(self.engine):
            uid = holding.account.uid
            if not pool.positions or uid in forced or uid == FUND_UID:
                continue
            if not self.stood.get((uid, pool.position_id), True):
                continue
            if any(each.perp.mark != self.marks[each.perp.symbol] for each in pool.positions):
                continue
            own, needed = equity(pool), maintenance(pool)
            must(
                own >= needed,
                "at an unmoved mark", uid, "has", own, "and needs", needed, "by",
                type(command).__name__,
            )  # fmt: skip

    def _one_step(self, command: Command, events: list[Event]) -> None:
        """No step of a mark takes a pool from above its maintenance margin to below zero (1.6)."""
        for perp in self.perps():
            if perp.wait_until > command.time:  # it was without a source, and takes the first one
                return
        if any(isinstance(event, t.Income) and funds(event) for event in events):
            return
        for event in events:
            if isinstance(event, t.LiquidationStarted) and event.uid != FUND_UID:
                stood = self.stood.get((event.uid, event.position_id), False)
                must(
                    event.equity >= 0 or not stood,
                    "one step took", event.uid, "from above its margin to", event.equity,
                )  # fmt: skip

    def _fees_fit(self, trades: list[t.ContractTrade]) -> None:
        """A fee takes at most half of what keeps a position (rule 1.6)."""
        for trade in trades:
            if trade.cause in FORCED or trade.symbol not in self.rates:
                continue
            size = trade.quantity * self.engine.contracts.markets[trade.symbol].unit
            most = size * trade.price * self.rates[trade.symbol] // (2 * PPM) + 1
            for leg in (trade.maker, trade.taker):
                must(leg.fee <= most, "a fee of", leg.fee, "and not", most, "is paid by", leg.uid)

    def _premiums_weigh(self, command: Command, trades: list[t.ContractTrade]) -> None:
        """A premium is made by orders that are worth something beside positions (rule 1.6)."""
        if not isinstance(command, c.Tick):
            return
        for perp in self.perps():
            if perp.premium_time != command.time or not perp.premium_ppb:
                continue
            book = perp.market.book
            side = BUY if perp.premium_ppb > 0 else SELL
            half = book.bids if side == BUY else book.asks
            worth = sum([level.price * level.quantity for level in half.walk()])
            # Orders that the tick has parked were there.
            worth += sum([o.price * o.remaining for o in book.parked.values() if o.side == side])
            worth += sum([x.price * x.quantity for x in trades if x.symbol == perp.symbol])
            least = perp.contract.tiers[0].notional_max // PREMIUM_PARTS
            must(
                worth * perp.unit >= least,
                "orders worth", worth * perp.unit, "make a premium, and not", least,
            )  # fmt: skip

    def _frozen_keeps(
        self, command: Command, trades: list[t.ContractTrade], forced: set[int]
    ) -> None:
        """Nothing leaves a frozen account by a command (rule 2.7)."""
        for uid, before in self.money.items():
            account = self.engine.account(uid)
            for trade in trades:
                own = uid in (trade.maker.uid, trade.taker.uid)
                must(
                    not own or trade.cause in FORCED,
                    "frozen",
                    uid,
                    "traded by",
                    type(command).__name__,
                )
            if uid in forced or isinstance(command, c.FreezeOwner):
                continue
            now = sum([cash.collateral for cash in (*account.contract, *account.isolated.values())])
            now += sum([account.total(wallet, 0) for wallet in (0, 2)])
            must(
                now >= before, "of frozen", uid, "went", before - now, "by", type(command).__name__
            )

    def _index_follows(self, time: int) -> None:
        """An index moves only towards the true prices of the last seconds, or back to where it
        was in them; a mark stays by it."""
        for perp in self.perps():
            if perp.symbol not in self.world.assets:
                continue
            index, before = perp.index_price, self.index.get(perp.symbol, 0)
            if not index or not before or index == before:
                continue
            most = index * perp.tiers.rates[0] // (2 * PPM)
            must(abs(perp.mark - index) <= most, "mark", perp.mark, "of index", index)
            if time < self.alone.get(perp.symbol, 0):
                continue
            prices = [price for _, price in self.true[perp.symbol]]
            both = len(self.world.assets[perp.symbol].contract.index_sources) == 2
            near = max(prices) * (AGREED_PPM if both else NEAR_PPM) // PPM + 2
            low, high = min(prices) - near, max(prices) + near
            away = max(low - index, index - high)
            must(
                away <= 0 or away < max(low - before, before - high),
                "the index of", perp.symbol, "went from", before, "to", index, "and true prices",
                min(prices), "to", max(prices),
            )  # fmt: skip

    def _followers_keep(self, command: Command, trades: list[t.ContractTrade]) -> None:
        """By copies a follower loses a tenth of its money a day, beside the mark's own moves: what
        these won for it, also while copies are open, may be lost too, and fees rise with them (rule
        9.4)."""
        uid = UIDS["fay"]
        day = command.time // DAY
        for trade in trades:
            if trade.cause != Cause.COPY or trade.taker.uid != uid:
                continue
            perp = self.engine.contracts.markets[trade.symbol]
            away = trade.price - perp.mark if trade.taker_side == BUY else perp.mark - trade.price
            leg = trade.taker
            self.paid += leg.fee - leg.realized
            lost = away * trade.quantity * perp.unit + leg.fee
            lost = self.robbed[uid, day] = self.robbed.get((uid, day), 0) + lost
            own = self.began.setdefault(uid, self.worth.get((uid, 0), 0))
            self.won = max(self.won, lost - self.paid + self._open_gain(uid))
            must(
                lost <= own * ROBBED_PERCENT // 100 + 100 + self.won,
                "copies cost", uid, lost, "of", own, "on a day",
            )  # fmt: skip

    def _open_gain(self, uid: int) -> int:
        """The gain of open positions at mark, which later closes may lose again."""
        gain = 0
        for position in self.engine.holding(uid).positions.values():
            perp = position.perp
            gain += position.side * (perp.mark * position.quantity * perp.unit - position.value)
        return max(gain, 0)

    def _calm(self, events: list[Event]) -> None:
        """True prices that move by safe steps leave no pool below zero when its turn comes."""
        for event in events:
            if isinstance(event, t.LiquidationStarted) and event.uid not in (FUND_UID,):
                must(event.equity >= 0, "in a calm world", event.uid, "has", event.equity)

    def perps(self) -> Iterator[Perpetual]:
        yield from self.engine.contracts.markets.values()


FORCING: Final = (t.LiquidationStarted, t.LiquidationFinished, t.Deleveraged)


def funds(item: t.Income) -> bool:
    return item.kind == IncomeType.POSITION_FUNDING


def outside(trade: t.ContractTrade) -> bool:
    return trade.cause in (Cause.TAKEOVER, Cause.DELEVERAGE, Cause.DELISTING)


def span(perp: Perpetual) -> int:
    """How far the mark may lie from an index without doubt, and the index from its sources."""
    return perp.index_price // (2 * perp.contract.leverage_max) + abs(perp.mark - perp.index_price)


def pools(engine: Engine) -> Iterator[tuple[Holding, Pool]]:
    for holding in engine.contracts.collateral.holdings.values():
        for pool in holding.pools_in(0):
            yield holding, pool
