"""Converts conditional orders to records and back; see `contract_snapshot`."""

from __future__ import annotations

from venue.core.contract.conditional.waiting import follow, stop_waiting
from venue.core.contract.records import Algo, Perpetual
from venue.core.engine import Engine
from venue.core.state.contract_records import AlgoRecord


def algo_record(algo: Algo) -> AlgoRecord:
    """Return the record of a conditional order."""
    follow(algo)
    return AlgoRecord(
        algo.algo_id,
        algo.holding.account.uid,
        algo.perp.symbol,
        algo.side,
        algo.position_side,
        algo.type,
        algo.quantity,
        algo.trigger_price,
        algo.price,
        algo.source,
        algo.client_id,
        algo.rising,
        algo.parent_id,
        algo.position.position_id if algo.position is not None and algo.position.quantity else 0,
        algo.sibling.algo_id if algo.sibling is not None else 0,
        algo.take_profit,
        algo.stop_loss,
        algo.callback_ppm,
        algo.extreme,
        algo.status,
        algo.time,
        algo.update_time,
        algo.asked,
    )


def load_algo(engine: Engine, record: AlgoRecord) -> Algo:
    """Create the conditional order of a record; its owner and its position are loaded already."""
    holding = engine.holding(record.uid)
    algo = Algo(
        record.algo_id,
        holding,
        engine.contracts.markets[record.symbol],
        record.side,
        record.position_side,
        record.type,
        record.quantity,
        record.time,
    )
    algo.trigger_price = record.trigger_price
    algo.price = record.price
    algo.source = record.source
    algo.client_id = record.client_id
    algo.rising = record.rising
    algo.parent_id = record.parent_id
    algo.position = holding.positions.get(record.position_id)
    algo.take_profit = record.take_profit
    algo.stop_loss = record.stop_loss
    algo.callback_ppm = record.callback_ppm
    algo.extreme = record.extreme
    algo.status = record.status
    algo.update_time = record.update_time
    algo.asked = record.asked
    return algo


def name(clients: dict[str, Algo], algo: Algo) -> None:
    """Register a client id: of several orders with one id the newest has it, in any contract."""
    holder = clients.get(algo.client_id)
    if holder is None or holder.algo_id < algo.algo_id:
        clients[algo.client_id] = algo


def stand_back(perp: Perpetual, due: list[int]) -> None:
    """Remove due conditional orders whose turn has not come from the queues where they waited."""
    found = {number: algo for queue in perp.waiting for _, number, algo in queue.rows()}
    for number, trail in perp.trailing.trails.items():
        found[number] = trail.thing
    for number in due:
        algo = found[number]
        algo.version += 1
        stop_waiting(algo)
        perp.due_algos.append((algo.version, algo))
