"""Whether history agrees with itself and with the engine: for `venue verify`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from venue.core.book.book import OPEN, Order, T
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.history.frames import unpack_frames
from venue.history.opening import opening
from venue.history.sql import first, scalar
from venue.history.tables.contract import ContractFill, ContractOrder
from venue.history.tables.spot import OrderRow, SpotFill
from venue.history.tables.table import Table, columns
from venue.vocabulary import CAUSES_OUTSIDE, MarginMode, Product, Wallet

if TYPE_CHECKING:
    from apsw import Connection

PROBLEMS_MAX: Final = 100  # of each kind; a broken file should not fill the screen
FRAMES: Final = (
    "SELECT number, sequence, payload FROM frames WHERE uid = ? AND product = ? AND channel = ?"
    " AND number > ? ORDER BY number"
)
CHAIN: Final = "uid, wallet, asset"

Channels = dict[tuple[int, int, str], tuple[int, int]]  # (uid, product, channel) -> two numbers

OpenOrder = tuple[int, tuple[int, int, int, int]]  # an open order: (uid, executed, quote, status)


def check(connection: Connection, engine: Engine) -> list[str]:
    """Return the problems, as readable texts; empty when there are none.

    Bills chain per owner, wallet and asset and end at the engine's balances, items per pool at
    its collateral; open orders are the engine's; fills sum to their orders; each trade has two
    fills. A history that begins later than the journal chains and sums from there. The venue's
    agents are left out: history has no rows of their trading (`kept_events`).
    """
    reached = scalar(connection, "SELECT sequence FROM progress")
    if reached != engine.sequence:
        return [f"history reaches command {reached}, the engine {engine.sequence}"]
    problems: list[str] = []
    for look in (_bills, _balances, _open_orders, _fills_of_orders, _trades, _income):
        found = look(connection, engine)
        problems += found[:PROBLEMS_MAX]
        if len(found) > PROBLEMS_MAX:
            problems.append(f"... and {len(found) - PROBLEMS_MAX} more like the last")
    return problems


def check_frames(connection: Connection, channels: Channels, *, later: bool) -> list[str]:
    """Return the problems of the private channels' frames: each channel has all frames after its
    first number up to its second, without a gap; there are no other channels. In a history that
    begins `later` than the journal the first frame may be a later one.
    """
    problems: list[str] = []
    stored = set(connection.execute("SELECT DISTINCT uid, product, channel FROM frames"))
    for key, (kept, newest) in channels.items():
        uid, product, channel = key
        oldest = kept
        if later:
            earliest = _first_frame(connection, key)
            oldest = newest if earliest is None else max(kept, earliest - 1)
        count, last = 0, oldest
        for row in connection.execute(FRAMES, (*key, oldest)):
            numbers = [one for one, _, _ in unpack_frames(*row) if one > oldest]
            count, last = count + len(numbers), numbers[-1]
        if (count, last) != (newest - oldest, newest):
            problems.append(
                f"owner {uid}, {Product(product).name.lower()} channel {channel}: {count} frames"
                f" after {oldest}, the last is {last}; there should be all up to {newest}"
            )
    unknown = sorted(stored - channels.keys())
    return problems + [f"frames of channel {key}, which never had any" for key in unknown]


def _first_frame(connection: Connection, channel: tuple[int, int, str]) -> int | None:
    """Return the number of the first frame of a channel that history has."""
    row = first(connection, f"{FRAMES} LIMIT 1", (*channel, -1))
    return None if row is None else unpack_frames(*row)[0][0]


def _bills(connection: Connection, engine: Engine) -> list[str]:
    problems: list[str] = []
    chains: dict[tuple[int, int, str], int] = {}
    later = opening(connection)[0] > 0
    rows = connection.execute(
        f"SELECT bill_id, {CHAIN}, amount, after FROM bills WHERE {_of_owners(engine)}"
        " ORDER BY bill_id"
    )
    for bill_id, uid, wallet, asset, amount, after in rows:
        chain = (uid, wallet, asset)
        before = chains.get(chain, after - amount if later else 0)
        if before + amount != after:
            problems.append(
                f"bill {bill_id} of {_name(*chain)}: {before} + {amount} is not {after}"
            )
        chains[chain] = after
    return problems


def _balances(connection: Connection, engine: Engine) -> list[str]:
    newest = f"SELECT max(bill_id) FROM bills WHERE {_of_owners(engine)} GROUP BY {CHAIN}"
    rows = connection.execute(
        f"SELECT {CHAIN}, after FROM bills WHERE bill_id IN ({newest}) ORDER BY bill_id"
    )
    billed = {(uid, wallet, asset): after for uid, wallet, asset, after in rows}
    problems: list[str] = []
    later = opening(connection)[0] > 0
    for account in _accounts(engine):
        for wallet in (Wallet.SPOT, Wallet.FUNDING):
            for ordinal, asset in enumerate(engine.assets):
                chain = (account.uid, int(wallet), asset.name)
                balance = account.total(wallet, ordinal)
                after = billed.pop(chain, balance if later else 0)
                if after != balance:
                    problems.append(
                        f"{_name(*chain)}: the last bill says {after}, the engine {balance}"
                    )
    return problems + [f"bills of {_name(*chain)}, unknown to the engine" for chain in billed]


def _open_orders(connection: Connection, engine: Engine) -> list[str]:
    agents = _agents(engine)
    own = engine.spot.accounts.values()
    spot = [_order_facts(order, 0) for account in own for order in account.orders.values()]
    contract = [
        _order_facts(order, order.terms.trimmed)
        for holding in engine.contracts.collateral.holdings.values()
        for order in holding.orders.values()
    ]
    problems = _agree(connection, "order", OrderRow, spot, agents)
    return problems + _agree(connection, "contract order", ContractOrder, contract, agents)


def _order_facts(order: Order[T], trimmed: int) -> OpenOrder:
    executed = order.quantity - order.remaining - trimmed
    return order.order_id, (order.uid, executed, order.quote, order.status)


def _agree(
    connection: Connection,
    name: str,
    table: Table,
    orders: Iterable[OpenOrder],
    agents: dict[int, None],
) -> list[str]:
    rows = connection.execute(
        f"SELECT order_id, uid, executed, quote, status FROM {table.table} WHERE status IN {OPEN}"
        " ORDER BY order_id"
    )
    stored = {row[0]: row[1:] for row in rows if row[1] not in agents}
    problems: list[str] = []
    for order_id, known in orders:
        if known[0] in agents:
            continue
        row = stored.pop(order_id, None)
        if row != known:
            problems.append(
                f"{name} {order_id} (uid, executed, quote, status):"
                f" the engine says {known}, history {row}"
            )
    return problems + [
        f"{name} {order_id} is open in history, not in the engine" for order_id in stored
    ]


def _fills_of_orders(connection: Connection, engine: Engine) -> list[str]:
    spot = _sums_of_fills(connection, "order", (OrderRow, SpotFill), _of_owners(engine))
    both = (ContractOrder, ContractFill)
    return spot + _sums_of_fills(connection, "contract order", both, _of_owners(engine))


def _sums_of_fills(
    connection: Connection, name: str, tables: tuple[Table, Table], of_owners: str
) -> list[str]:
    orders, fills = tables
    inside = f"AND cause NOT IN {CAUSES_OUTSIDE}" if "cause" in columns(fills) else ""
    filled = (
        "(SELECT order_id, sum(quantity) AS quantity, sum(notional) AS notional"
        f" FROM {fills.table} WHERE {of_owners} {inside} GROUP BY order_id) AS filled"
    )
    rows = connection.execute(
        "SELECT own.order_id, own.executed, own.quote, coalesce(filled.quantity, 0) AS lots,"
        f" coalesce(filled.notional, 0) AS paid FROM {orders.table} AS own"
        f" LEFT JOIN {filled} ON own.order_id = filled.order_id"
        " WHERE (own.executed <> lots OR own.quote <> paid)"
        f" AND own.order_id >= ? AND own.{of_owners} ORDER BY own.order_id",
        (opening(connection)[1],),
    )
    problems = [
        f"{name} {order_id}: executed {executed} lots for {quote}, its fills say {lots} for {paid}"
        for order_id, executed, quote, lots, paid in rows
    ]
    orphans = connection.execute(
        f"SELECT order_id FROM {filled} WHERE order_id NOT IN (SELECT order_id FROM {orders.table})"
        " ORDER BY order_id"
    )
    return problems + [f"fills of {name} {order_id}, which is missing" for (order_id,) in orphans]


def _trades(connection: Connection, engine: Engine) -> list[str]:
    problems: list[str] = []
    agents = _agents(engine)  # the other side of a trade that has one fill is one of these
    least = 1 if agents else 2
    for name, fills in (("trade", SpotFill), ("contract trade", ContractFill)):
        rows = connection.execute(
            f"SELECT trade_id, count(*) FROM {fills.table} GROUP BY trade_id"
            " HAVING count(*) < ? OR count(*) > 2 ORDER BY trade_id",
            (least,),
        )
        problems += [f"{name} {trade_id} has {count} fills, not 2" for trade_id, count in rows]
    return problems


def _income(connection: Connection, engine: Engine) -> list[str]:
    """Items chain to the pools' collateral. A trade's name the position, which knows its pool."""
    alone = _isolated_positions(connection, engine)
    later = opening(connection)[0] > 0
    problems: list[str] = []
    chains: dict[tuple[int, int, str], int] = {}
    rows = connection.execute(
        "SELECT uid, position_id, asset, bill_id, amount, balance FROM income"
        f" WHERE {_of_owners(engine)} ORDER BY bill_id"
    )
    for uid, position_id, asset, bill_id, amount, balance in rows:
        pool = (uid, position_id if position_id in alone else 0, asset)
        before = chains.get(pool, balance - amount if later else 0)
        if before + amount != balance:
            problems.append(
                f"item {bill_id} of {_pool(*pool)}: {before} + {amount} is not {balance}"
            )
        chains[pool] = balance
    return problems + _collateral(chains, engine, later=later)


def _isolated_positions(connection: Connection, engine: Engine) -> set[int]:
    """Return the positions that have, or had, a pool of their own."""
    own = "SELECT position_id FROM positions WHERE margin_mode = ?"
    closed = [number for (number,) in connection.execute(own, (int(MarginMode.ISOLATED),))]
    return {*closed, *(number for account in _accounts(engine) for number in account.isolated)}


def _collateral(
    chains: dict[tuple[int, int, str], int], engine: Engine, *, later: bool
) -> list[str]:
    problems: list[str] = []
    for account in _accounts(engine):
        crosses = [(0, cash) for cash in account.contract]
        for position_id, cash in (*crosses, *account.isolated.items()):
            key = (account.uid, position_id, engine.assets[cash.asset].name)
            balance = chains.pop(key, cash.collateral if later else 0)
            if balance != cash.collateral:
                problems.append(
                    f"{_pool(*key)}: the last item says {balance}, the engine {cash.collateral}"
                )
    return problems + [
        f"items of {_pool(*key)}, unknown to the engine" for key, left in chains.items() if left
    ]


def _accounts(engine: Engine) -> Iterable[Account]:
    return [one for one in engine.accounts.values() if not one.agent]


def _of_owners(engine: Engine) -> str:
    """Return the condition that rows are not an agent's."""
    return f"uid NOT IN ({', '.join(map(str, _agents(engine)))})"


def _agents(engine: Engine) -> dict[int, None]:
    return {one.uid: None for one in engine.accounts.values() if one.agent}


def _name(uid: int, wallet: int, asset: str) -> str:
    return f"owner {uid}, {Wallet(wallet).name.lower()} wallet, {asset}"


def _pool(uid: int, position_id: int, asset: str) -> str:
    where = f"pool of position {position_id}" if position_id else "cross pool"
    return f"owner {uid}, {where}, {asset}"
