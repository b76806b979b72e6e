"""Converts the watch over pools to a record and back; see `contract_snapshot`."""

from __future__ import annotations

from venue.core.contract.records import Pool
from venue.core.engine import Engine
from venue.core.ledger.accounts import Cash
from venue.core.state.contract_records import PoolId, WatchRecord


def dump(engine: Engine) -> WatchRecord:
    """Return the place of each waiting pool, in an order that follows from the commands."""
    watch = engine.schedule.watch
    line = watch.line
    return WatchRecord(
        dirty=[_id(pool) for pool in watch.collateral.dirty],
        guards=[
            (ordinal, direction, [(row[0], row[1], row[2], row[3]) for row in ordered.rows()])
            for (ordinal, direction), ordered in sorted(watch.guards.items(), key=_key)
            if ordered.count
        ],
        turn=line.turn,
        owners=[
            (turn, uid, [(-row[0], row[1], row[2]) for row in line.owners[uid].rows()])
            for turn, _, uid in line.turns.rows()
        ],
        stuck=[(row[0], row[1], row[2], row[3]) for row in watch.stuck.rows()],
        opened=[ordinal for ordinal, is_open in sorted(watch.opened.items()) if is_open],
        number=watch.number,
        retried=watch.retried,
    )


def load(engine: Engine, record: WatchRecord) -> None:
    """Put the pools back where they waited."""
    pools = _Pools(engine)
    watch = engine.schedule.watch
    for uid, asset, position_id in record.dirty:
        watch.collateral.touch(pools.find(uid, asset, position_id))
    for ordinal, direction, rows in record.guards:
        ordered = watch.rows_for(ordinal, direction)
        for key, uid, asset, position_id in rows:
            pool = pools.find(uid, asset, position_id)
            pool.guards.append((ordinal, direction, key))
            ordered.add((key, uid, asset, position_id, pool))
    watch.line.turn = record.turn
    for turn, uid, waiting in record.owners:
        for shortfall, asset, position_id in waiting:
            watch.line.push(pools.find(uid, asset, position_id), shortfall, turn)
    for number, uid, asset, position_id in record.stuck:
        pool = pools.find(uid, asset, position_id)
        pool.since = number
        watch.stuck.add((number, uid, asset, position_id, pool))
    for ordinal in record.opened:
        watch.opened[ordinal] = True
    watch.number = record.number
    watch.retried = record.retried


class _Pools:
    """Pools by their key, including ended ones that are still to be checked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ended: dict[PoolId, Pool] = {}

    def find(self, uid: int, asset: int, position_id: int) -> Pool:
        holding = self._engine.holding(uid)
        if not position_id:
            return holding.cross(asset)
        found = holding.isolated.get(position_id)
        if found is not None:
            return found
        key = (uid, asset, position_id)
        ended = self._ended.get(key)
        if ended is None:
            ended = self._ended[key] = Pool(holding, Cash(asset), position_id)
        return ended


def _id(pool: Pool) -> PoolId:
    return pool.account.uid, pool.asset, pool.position_id


def _key(item: tuple[tuple[int, int], object]) -> tuple[int, int]:
    return item[0]
