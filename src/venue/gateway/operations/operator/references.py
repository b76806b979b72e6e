"""Operator operations that move prices of a practice venue."""

from __future__ import annotations

import re
from typing import Final

from msgspec import structs

from venue import texts
from venue.api import errors
from venue.api.operation import Empty
from venue.api.operator.references import CrashRequest, HoldRequest, ReferenceView, ReleaseRequest
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.index import SPOT_SOURCE, price_most
from venue.core.messages.commands import ChangeContract, ChangeSetting, Command, PostIndex
from venue.core.messages.events import Rejected
from venue.gateway.dispatch import decode
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import listed_contract
from venue.gateway.operations.refusals.contract import refusal
from venue.node.node import Node
from venue.node.references import HELD, Reference, References, setting
from venue.times import US_PER_MS, span_us

CHANGE_SCALE: Final = 4  # decimals of a percentage
WHOLE: Final = 100 * 10**CHANGE_SCALE
FALL_MOST: Final = 99 * 10**CHANGE_SCALE
RISE_MOST: Final = 1_000 * 10**CHANGE_SCALE
OVER_MIN_US: Final = span_us("1s")
OVER_MAX_US: Final = span_us("1d")
CHANGE_RULE: Final = "must be a percentage with its sign, such as -8%, from -99% to +1000%, not 0"
_CHANGE: Final = re.compile(r"([+-])([0-9]{1,4}(?:\.[0-9]{1,4})?)%", re.ASCII)


def references(call: Call, _: Empty) -> list[ReferenceView]:
    """Return the contracts that go by a price that an operator gave."""
    node = call.node
    told = References(node.engine)
    return [_view(node, perp) for symbol, perp in node.engine.perps.items() if told.price(symbol)]


async def hold_index(call: Call, request: HoldRequest) -> ReferenceView:
    """Make a held price the one source of the index from now on."""
    node = call.node
    perp = node.perp(request.symbol)
    price = decode.ticks(perp.market.instrument, request.price, "price")
    _check(perp, price, "price")
    before = References(node.engine).held_reference(perp.symbol)
    commands: list[Command] = []
    if before is None:
        contract = structs.replace(perp.contract, index_sources=(HELD,))
        commands.append(ChangeContract(contract))
    now = node.clock.now()
    sources = before.sources if before is not None else perp.contract.index_sources
    held = Reference(price, price, now, now, sources)
    commands.append(PostIndex(perp.symbol, HELD, price, jump=request.jump))
    commands.append(ChangeSetting(setting(perp.symbol), held.text()))
    return await _submit_all(call, perp, commands)


async def release_index(call: Call, request: ReleaseRequest) -> ReferenceView:
    """Give the index its sources back, which it follows by its step."""
    node = call.node
    perp = node.perp(request.symbol)
    if not References(node.engine).price(perp.symbol):
        raise errors.failed_precondition(f"the index of {perp.symbol} is not held")
    held = References(node.engine).held_reference(perp.symbol)
    commands: list[Command] = []
    if held is not None:
        contract = structs.replace(perp.contract, index_sources=held.sources)
        commands.append(ChangeContract(contract))
    commands.append(ChangeSetting(setting(perp.symbol), ""))
    return await _submit_all(call, perp, commands)


async def crash(call: Call, request: CrashRequest) -> ReferenceView:
    """Begin a line from the present price to another one."""
    node = call.node
    perp = node.perp(request.symbol)
    change = _change(request.change)
    over = _over(request.over)
    now = node.clock.now()
    held = References(node.engine).held_reference(perp.symbol)
    start = held.price(now) if held is not None else _quote_price(node, perp)
    target = start * (WHOLE + change) // WHOLE
    _check(perp, target, "change")
    line = Reference(start, target, now, now + over, held.sources if held is not None else ())
    return await _submit_all(call, perp, [ChangeSetting(setting(perp.symbol), line.text())])


def _quote_price(node: Node, perp: Perpetual) -> int:
    """Return the price around which agents quote in the index's spot market, in ticks of the
    contract."""
    if SPOT_SOURCE not in perp.contract.index_sources or not node.agents:
        raise errors.failed_precondition(
            f"no agents make the price of {perp.symbol}: hold its index first"
        )
    market = node.engine.spot_markets.get(perp.symbol)
    price = market.book.twice_mid() // 2 if market is not None else 0
    if not price:
        raise errors.failed_precondition(f"the spot market of {perp.symbol} has no price now")
    return price


def _check(perp: Perpetual, price: int, name: str) -> None:
    """ApiError when the contract may not have such a price."""
    most = price_most(perp)
    if not 1 <= price <= most:
        instrument = perp.market.instrument
        lowest, highest = texts.price_text(instrument, 1), texts.price_text(instrument, most)
        raise errors.out_of_range(name, f"the price must be from {lowest} to {highest}")


def _change(text: str) -> int:
    """Return a percentage in units of 10^-4 of a per cent."""
    found = _CHANGE.fullmatch(text)
    change = decode.scale_amount(found[2], CHANGE_SCALE, "change") if found else 0
    fall = found is not None and found[1] == "-"
    if not 0 < change <= (FALL_MOST if fall else RISE_MOST):
        raise errors.invalid("change", CHANGE_RULE)
    return -change if fall else change


def _over(text: str) -> int:
    try:
        over = span_us(text)
    except ValueError as problem:
        raise errors.invalid("over", str(problem)) from None
    if not OVER_MIN_US <= over <= OVER_MAX_US:
        raise errors.out_of_range("over", "must be from 1s to 1d")
    return over


async def _submit_all(call: Call, perp: Perpetual, commands: list[Command]) -> ReferenceView:
    """Submit the commands as one group; return the prices as they are then."""
    for applied in await call.node.submit(commands):
        for event in applied.events:
            if isinstance(event, Rejected):
                raise refusal(event, listed_contract(call.node, perp.symbol))
    return _view(call.node, perp)


def _view(node: Node, perp: Perpetual) -> ReferenceView:
    told = References(node.engine)
    line = told.of(perp.symbol)
    now = node.clock.now()
    instrument = perp.market.instrument
    followed = line is not None and told.price(perp.symbol) > 0
    return ReferenceView(
        symbol=perp.symbol,
        held=told.held_reference(perp.symbol) is not None,
        price=texts.price_text(instrument, line.price(now) if line and followed else 0),
        target=texts.price_text(instrument, line.target if line and followed else 0),
        until=line.end // US_PER_MS if line and followed and line.end > now else 0,
        index_price=texts.price_text(instrument, perp.index_price),
        index_is_current=perp.current,
        mark_price=texts.price_text(instrument, perp.mark),
        in_doubt=perp.doubt,
    )
