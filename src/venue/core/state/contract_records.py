"""The records of the contract side in a snapshot; see `contract_snapshot`."""

from __future__ import annotations

import msgspec

from venue.core.instruments import Contract, Tier
from venue.core.messages.commands import Exit


class ContractOrderRecord(msgspec.Struct, array_like=True, gc=False):
    """One contract order, with its owner's uid and its terms."""

    order_id: int
    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    time: int
    update_time: int
    remaining: int
    quote: int
    status: int
    position_side: int
    cause: int
    margin: int
    whole_margin: int
    position_id: int
    algo_id: int
    exits: list[Exit]
    attached: list[int]
    trimmed: int
    exits_position: int
    asked_position: int
    fee_ppm: int
    place: int


class LifeRecord(msgspec.Struct, array_like=True, gc=False):
    """The sums of a position's life, in lots and atoms."""

    open_size: int
    open_value: int
    open_fee: int
    close_size: int
    close_value: int
    close_fee: int
    funding_fee: int
    liquidate_fee: int
    realized: int


class PositionRecord(msgspec.Struct, array_like=True, gc=False):
    """A position. `rank` is its key in the ADL ranking, `passed` the last position that it asked
    (key and id). `tiers` is the number among the contract's former tiers, from 1; 0: the present
    ones."""

    position_id: int
    symbol: str
    side: int
    isolated: bool
    leverage: int
    separated: bool
    open_order_id: int
    auto_margin: bool
    quantity: int
    value: int
    funded: int
    life: LifeRecord
    created: int
    updated: int
    created_sequence: int
    updated_sequence: int
    rank: int
    passed: tuple[int, int]
    base: int
    tiers: int


class AlgoRecord(msgspec.Struct, array_like=True, gc=False):
    algo_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    quantity: int
    trigger_price: int
    price: int
    source: int
    client_id: str
    rising: bool
    parent_id: int
    position_id: int
    sibling_id: int
    take_profit: Exit
    stop_loss: Exit
    callback_ppm: int
    extreme: int
    status: int
    time: int
    update_time: int
    asked: tuple[int, int, int]  # trigger price, price and source


class HoldingRecord(msgspec.Struct, array_like=True):
    """An owner's contract side; `modes` are those that differ from the defaults, by contract."""

    uid: int
    maker_ppm: int
    taker_ppm: int
    isolated: list[tuple[int, int, int]]  # position id, asset, collateral
    modes: list[tuple[int, int, int, int, int, int]]
    positions: list[PositionRecord]
    algos: list[AlgoRecord]


class TermsRecord(msgspec.Struct, array_like=True):
    """A contract after changes of terms: former `tiers` that positions keep, the ids of `former`
    positions in the order of their retries, the lowest first rate, the numbers of a running
    `change`, when former tiers `end` (µs), and the greatest leverage."""

    tiers: list[list[Tier]]
    former: list[int]
    least_ppm: int
    change: list[int]
    end: int
    leverage_most: int


class SettlementRecord(msgspec.Struct, array_like=True):
    """A running funding settlement; see `Settlement`."""

    due: int
    rate_ppb: int
    mark: int
    last: int
    next: int
    count: int
    paid: int
    received: int


class RankingRecord(msgspec.Struct, array_like=True):
    """The progress of a contract's ADL ranking; see `ContractRanking`."""

    next: int
    kept: int
    exact: bool


class PerpetualRecord(msgspec.Struct, array_like=True):
    """A contract market; `orders` are its bids, then its asks, in priority order.

    `samples` are those of the spot book as an index source, `delisted` are the numbers of
    `DelistingTerms`.
    """

    contract: Contract
    base: int
    quote: int
    unit_atoms: int
    halted: bool
    halt_reason: str
    last_price: int
    index_price: int
    mark: int
    premium_ppb: int
    premium_sum: int
    premium_count: int
    premium_time: int
    last_rate_ppb: int
    last_due: int
    open_interest: int
    index_time: int
    seen_time: int
    wait_until: int
    reopens: int
    spot_lowest: int
    spot_highest: int
    spot_alone: bool
    was_unknown: bool
    recalled: int
    trigger_last: int
    current: bool
    doubt: bool
    sources: list[tuple[str, int, int]]
    settlement: SettlementRecord | None
    orders: list[ContractOrderRecord]
    parked: list[ContractOrderRecord]
    ended_algos: list[AlgoRecord]
    due_algos: list[int]
    premiums: list[int]
    samples: list[tuple[int, int]]
    ranking: RankingRecord
    terms: TermsRecord | None
    delisted: list[int]


PoolId = tuple[int, int, int]  # uid, asset, position id


class WatchRecord(msgspec.Struct, array_like=True):
    """The marks at which pools are checked, and the queued pools; see `pool_watch`.

    `guards` are by contract ordinal and direction (key, uid, asset, position id); `owners` (turn,
    uid, and shortfall, asset, position id of each pool); `stuck` have their number first.
    """

    dirty: list[PoolId]
    guards: list[tuple[int, int, list[tuple[int, int, int, int]]]]
    turn: int
    owners: list[tuple[int, int, list[tuple[int, int, int]]]]
    stuck: list[tuple[int, int, int, int]]
    opened: list[int]
    number: int
    retried: int


class ContractState(msgspec.Struct, array_like=True):
    """The whole contract side. `closed` are ended orders whose client ids still count."""

    ticked: int
    pending: bool
    dust: list[int]
    perps: list[PerpetualRecord]
    holdings: list[HoldingRecord]
    closed: list[ContractOrderRecord]
    watch: WatchRecord
    # uid, sequence, position ids left; without a sequence `Rest.numbers`
    closings: list[tuple[int, int, list[int]]]
    parking: tuple[int, int]  # owners still to be asked, and the place of the next one
