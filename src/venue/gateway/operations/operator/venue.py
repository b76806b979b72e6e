"""Operator operations of the venue itself: owners, money, instruments, health."""

from __future__ import annotations

from typing import Final

import apsw
from msgspec import structs

from venue import texts
from venue.api import errors
from venue.api.fields import Money
from venue.api.names import WALLET_NAMES, WALLETS
from venue.api.operation import Empty
from venue.api.operator.venue import (
    AssetRequest,
    AssetView,
    ChangeInstrumentRequest,
    CreateOwnerRequest,
    FeesRequest,
    FreezeRequest,
    HaltRequest,
    Health,
    HealthRequest,
    InstrumentRequest,
    InstrumentView,
    MoneyRequest,
    Moved,
    OwnerView,
    ResumeRequest,
    TransferRequest,
)
from venue.compiled import engine as running_engine
from venue.core.contract.position import wallet as pool_wallet
from venue.core.contract.records import Perpetual
from venue.core.contract.safe_terms import breach_of_price
from venue.core.engine import Engine
from venue.core.instruments import Asset, Instrument
from venue.core.ledger.accounts import Account
from venue.core.messages.benefit_events import MovementRepeated
from venue.core.messages.commands import (
    ChangeInstrument,
    Command,
    CreateOwner,
    Deposit,
    FreezeOwner,
    HaltInstrument,
    ListInstrument,
    RegisterAsset,
    SetFees,
    Transfer,
    Withdraw,
)
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event, Rejected, WalletMoved
from venue.core.spot.account import SpotMarket
from venue.core.state.snapshot import state_hash
from venue.gateway.dispatch import decode
from venue.gateway.door import Call, Door
from venue.gateway.operations.operator.index_costs import index_cost, warning
from venue.gateway.operations.operator.market_fields import SPOT_SIZES, check_instrument
from venue.gateway.operations.refusals.funds import wallet_funds
from venue.gateway.operations.refusals.spot import refusal
from venue.helpers.link import HelperFailed
from venue.journal import built
from venue.node.explainer import describe_dropped
from venue.node.node import Node
from venue.times import instant_text
from venue.vocabulary import Product, Reject, SelfTrade, Wallet

ASSET_NAME_MAX: Final = 16


def health(call: Call, request: HealthRequest) -> Health:
    """Return the venue's health."""
    node = call.node
    engine = node.engine
    perps = engine.perps.values()
    costs = [index_cost(node, perp) for perp in perps]
    told = call.door.health
    disk = told.disk.look() if told.disk is not None else None
    warnings = [*told.warnings, *filter(None, map(warning, costs))]
    if told.disk is not None and (short := told.disk.warning()):
        warnings = [*warnings, short]
    return Health(
        status=_status(call.door),
        version=built.name(),
        engine=running_engine(),
        sqlite=apsw.sqlite_lib_version(),
        data=node.data,
        server_time=node.clock.server_time() // 1000,
        sequence=engine.sequence,
        history_sequence=node.history.last_sequence(),
        state_hash=state_hash(engine) if request.state_hash else "",
        owners=len(engine.accounts),
        open_orders=_all_open_orders(engine),
        open_positions=sum(len(perp.positions) for perp in perps),
        stale_contracts=[perp.symbol for perp in perps if not (perp.current or perp.reopens)],
        stream_defects=_stream_defects(call.door),
        plan_faults=node.engine.contracts.faults,
        doubtful_contracts=[perp.symbol for perp in perps if perp.doubt and not perp.reopens],
        closed_contracts=[perp.symbol for perp in perps if perp.reopens],
        unsafe_contracts=[text for perp in perps if (text := _unsafe(node, perp))],
        index_costs=costs,
        venue_time=node.clock.now() // 1000,
        clock_ahead=node.clock.ahead() // 1000,
        clock_steps=node.clock.system.steps,
        warnings=warnings,
        disk_used=None if disk is None else disk.used,
        disk_free=None if disk is None else disk.free,
        disk_hourly=None if disk is None else disk.hourly,
        disk_hours=None if disk is None else disk.hours,
        forgotten=_describe_forgotten(node),
        epoch=engine.epoch,
        profile=node.profile.value,
    )


def _describe_forgotten(node: Node) -> str:
    """Tell what a venue in memory keeps no longer."""
    told = [describe_dropped(node.journal)]
    until = node.history.forgotten
    if 0 < until < node.engine.time:
        told.append(
            f"rows of orders and money that were settled before {instant_text(until)} are gone,"
            " unless a kept state needs them"
        )
    return "; ".join(filter(None, told))


def _status(door: Door) -> str:
    failures: list[str] = []
    node = door.node
    try:
        node.history.health()
    except HelperFailed as problem:
        reason = str(problem).partition("\n")[0]  # the log has the database's other lines
        failures.append(f"history failed: {reason}")
    defects = _stream_defects(door)
    if defects:
        failures.append(f"streams failed: {defects} since the start, see the log")
    if clock := node.clock.problem():
        failures.append(clock)
    return "; ".join(failures) or "ok"


def _unsafe(node: Node, perp: Perpetual) -> str:
    """Return why orders of a contract may only reduce whatever its sources say; empty: they may
    open."""
    scale = node.engine.assets[perp.asset].scale
    breach = breach_of_price(perp.contract, perp.mark, perp.unit, scale)
    return "" if breach is None else f"{perp.symbol}: {breach.inequality()}"


def _stream_defects(door: Door) -> int:
    return door.stream_defects.count + door.node.recorder.defects


# -- owners and money -----------------------------------------------------------------------------


def owners(call: Call, _: Empty) -> list[OwnerView]:
    """Return all owners."""
    engine = call.node.engine
    return [_owner_view(engine, account) for account in engine.accounts.values()]


async def create_owner(call: Call, request: CreateOwnerRequest) -> OwnerView:
    """Return a new owner."""
    if request.self_trade_prevention not in SelfTrade.__members__:
        rule = f"must be one of {', '.join(SelfTrade.__members__)}"
        raise errors.invalid("selfTradePrevention", rule)
    mode = SelfTrade[request.self_trade_prevention]
    await call.door.keys.settle()  # of an owner that a revert removed, whose uid comes again
    await submit_command(call, CreateOwner(request.name, int(mode)))
    return _owner_view(call.node.engine, owner(call.node, request.name))


async def freeze_owner(call: Call, request: FreezeRequest) -> OwnerView:
    """Freeze or thaw."""
    account = owner(call.node, request.owner)
    await submit_command(call, FreezeOwner(account.uid, request.frozen))
    return _owner_view(call.node.engine, account)


async def set_fees(call: Call, request: FeesRequest) -> OwnerView:
    """Set an owner's own fee rates."""
    account = owner(call.node, request.owner)
    maker, taker = request.maker_fee_rate, request.taker_fee_rate
    if (maker is None) != (taker is None):
        raise errors.missing("takerFeeRate" if taker is None else "makerFeeRate")
    rates = (-1, -1)
    if maker is not None and taker is not None:
        rates = (decode.ppm(maker, "makerFeeRate"), decode.ppm(taker, "takerFeeRate"))
    await submit_command(call, SetFees(account.uid, *rates, product=int(Product[request.product])))
    return _owner_view(call.node.engine, account)


async def deposit(call: Call, request: MoneyRequest) -> Moved:
    """Credit a wallet."""
    account, asset, amount = _money(call.node, request)
    wallet = WALLETS[request.wallet]
    command = Deposit(account.uid, wallet, asset.name, amount, reference=request.reference or "")
    (event,) = await submit_command(call, command)
    if isinstance(event, MovementRepeated):
        return _moved_before(call.node, account, asset, [wallet], amount, command.reference)[0]
    return _movement(call.node, account, event)


async def withdraw(call: Call, request: MoneyRequest) -> Moved:
    """Debit a wallet."""
    account, asset, amount = _money(call.node, request)
    wallet = WALLETS[request.wallet]
    command = Withdraw(account.uid, wallet, asset.name, amount, reference=request.reference or "")
    (event,) = await _submit_payment(call, command)
    if isinstance(event, MovementRepeated):
        return _moved_before(call.node, account, asset, [wallet], -amount, command.reference)[0]
    return _movement(call.node, account, event)


async def transfer(call: Call, request: TransferRequest) -> list[Moved]:
    """Move between an owner's wallets; both sides as they are afterwards."""
    account, asset, amount = _money(call.node, request)
    source, target = WALLETS[request.source], WALLETS[request.target]
    reference = request.reference or ""
    command = Transfer(account.uid, source, target, asset.name, amount, reference=reference)
    events = await _submit_payment(call, command)
    if isinstance(events[0], MovementRepeated):
        wallets = [source, target]
        return _moved_before(call.node, account, asset, wallets, -amount, reference)
    return [_movement(call.node, account, event) for event in events[1:]]


def owner(node: Node, owner: str, name: str = "owner") -> Account:
    """Return an owner by name or uid. ApiError -1142 naming the parameter when there is none."""
    return node.owner(owner, name)


async def submit_command(call: Call, command: Command) -> list[Event]:
    """Return the outcome of one operator command; ApiError when it was refused."""
    (applied,) = await call.node.submit([command])
    for event in applied.events:
        if isinstance(event, Rejected):
            raise refusal(event)
    return applied.events


async def _submit_payment(call: Call, command: Withdraw | Transfer) -> list[Event]:
    """Submit a command that takes money out of a wallet; a refusal names the free amount."""
    (applied,) = await call.node.submit([command])
    first = applied.events[0]
    if isinstance(first, Rejected):
        unpaid = first.reason == Reject.FUNDS
        raise wallet_funds(call.node, command) if unpaid else refusal(first)
    return applied.events


def _money(node: Node, request: MoneyRequest | TransferRequest) -> tuple[Account, Asset, int]:
    account = owner(node, request.owner)
    name = request.asset.upper()
    if name not in node.engine.ordinals:
        raise errors.invalid("asset", "no such asset")
    asset = node.asset(name)
    return account, asset, decode.scale_amount(request.amount, asset.scale, "amount")


def _movement(node: Node, account: Account, event: Event) -> Moved:
    """Return a movement of a wallet: a bill, or of the contract wallet an income item."""
    assert isinstance(event, Income | WalletMoved), event
    if isinstance(event, Income):  # its balance is the cash leg: without the cost of positions
        name = Wallet.CONTRACT.name
        engine = node.engine
        holding = engine.holding(account.uid)
        after = pool_wallet(holding.cross(engine.ordinals[event.asset]))
    else:
        name, after = WALLET_NAMES[event.wallet], event.after
    asset = node.asset(event.asset)
    return Moved(
        uid=event.uid,
        wallet=name,
        asset=event.asset,
        amount=texts.amount_text(asset, event.amount),
        after=texts.amount_text(asset, after),
        bill_id=event.bill_id,
    )


def _moved_before(
    node: Node, account: Account, asset: Asset, wallets: list[int], amount: int, reference: str
) -> list[Moved]:
    """Return the answer to a movement that had its effect before; `amount` is that of the first
    wallet."""
    numbers = answer_of(node, reference)
    return [
        Moved(
            uid=account.uid,
            wallet=WALLET_NAMES[wallet],
            asset=asset.name,
            amount=texts.amount_text(asset, amount if at == 0 else -amount),
            after=texts.amount_text(asset, numbers[2 * at + 1]),
            bill_id=numbers[2 * at],
        )
        for at, wallet in enumerate(wallets)
    ]


def answer_of(node: Node, reference: str) -> list[int]:
    """Return the numbers that answered a movement. ApiError -1008 when the state has just gone
    back past it."""
    known = node.engine.references.known.get(reference)
    if known is None:
        raise errors.busy("The state went back; try again.")
    return known.answer


def _owner_view(engine: Engine, account: Account) -> OwnerView:
    return OwnerView(account.uid, account.name, account.frozen, _open_orders(engine, account.uid))


def _open_orders(engine: Engine, uid: int) -> int:
    """Return an owner's open orders; one that never traded is given neither side by this
    question."""
    spot = engine.spot.accounts.get(uid)
    holding = engine.contracts.collateral.holdings.get(uid)
    found = 0 if spot is None else len(spot.orders)
    return found if holding is None else found + len(holding.orders)


def _all_open_orders(engine: Engine) -> int:
    spot = sum(len(account.orders) for account in engine.spot.accounts.values())
    holdings = engine.contracts.collateral.holdings.values()
    return spot + sum(len(holding.orders) for holding in holdings)


# -- assets and instruments -----------------------------------------------------------------------


def assets(call: Call, _: Empty) -> list[AssetView]:
    """Return all assets."""
    return [_asset_view(asset) for asset in call.node.engine.assets]


async def register_asset(call: Call, request: AssetRequest) -> AssetView:
    """Return a new asset."""
    name = request.asset.upper()
    if not (name.isascii() and name.isalnum() and len(name) <= ASSET_NAME_MAX):
        raise errors.invalid("asset", f"must be 1 to {ASSET_NAME_MAX} letters and digits")
    await submit_command(call, RegisterAsset(name, request.scale))
    return _asset_view(call.node.asset(name))


def instruments(call: Call, _: Empty) -> list[InstrumentView]:
    """Return all instruments."""
    return [_instrument_view(market) for market in call.node.engine.spot_markets.values()]


async def list_instrument(call: Call, request: InstrumentRequest) -> InstrumentView:
    """Open a market."""
    instrument = _instrument(request)
    for name, asset in (("baseAsset", instrument.base), ("quoteAsset", instrument.quote)):
        if asset not in call.node.engine.ordinals:
            raise errors.invalid(name, "no such asset")
    check_instrument(instrument, SPOT_SIZES, SPOT_SIZES)
    await submit_command(call, ListInstrument(instrument))
    return _instrument_view(call.node.market(instrument.symbol))


async def change_instrument(call: Call, request: ChangeInstrumentRequest) -> InstrumentView:
    """New limits, rates or bands."""
    market = call.node.market(request.symbol)
    listed = market.instrument
    lots = {
        "quantity_min": ("minTradeAmount", request.min_trade_amount),
        "quantity_max": ("maxTradeAmount", request.max_trade_amount),
        "market_quantity_max": ("marketLimitSize", request.market_limit_size),
    }
    rates = {
        "maker_ppm": ("makerFeeRate", request.maker_fee_rate),
        "taker_ppm": ("takerFeeRate", request.taker_fee_rate),
        "buy_band_ppm": ("buyLimitPriceRatio", request.buy_limit_price_ratio),
        "sell_band_ppm": ("sellLimitPriceRatio", request.sell_limit_price_ratio),
        "market_band_ppm": ("marketPriceRatio", request.market_price_ratio),
    }
    changes = {
        field: decode.lots(listed, text, name) for field, (name, text) in lots.items() if text
    }
    changes |= {field: decode.ppm(text, name) for field, (name, text) in rates.items() if text}
    changed = structs.replace(listed, **changes)
    check_instrument(changed, SPOT_SIZES, [name for name, text in lots.values() if text])
    await submit_command(call, ChangeInstrument(changed))
    return _instrument_view(market)


async def halt(call: Call, request: HaltRequest) -> InstrumentView:
    """Accept cancels only."""
    market = call.node.market(request.symbol)
    await submit_command(call, HaltInstrument(market.symbol, halted=True, reason=request.reason))
    return _instrument_view(market)


async def resume(call: Call, request: ResumeRequest) -> InstrumentView:
    """Accept orders again."""
    market = call.node.market(request.symbol)
    await submit_command(call, HaltInstrument(market.symbol, halted=False))
    return _instrument_view(market)


def _instrument(request: InstrumentRequest) -> Instrument:
    tick, price_scale = increment(request.tick_size, "tickSize")
    step, quantity_scale = increment(request.step_size, "stepSize")
    base, quote = request.base_asset.upper(), request.quote_asset.upper()
    grid = Instrument(
        base + quote, base, quote, tick, price_scale, step, quantity_scale, 1, 1, 1, 0, 0
    )
    return structs.replace(
        grid,
        quantity_min=decode.lots(grid, request.min_trade_amount, "minTradeAmount"),
        quantity_max=decode.lots(grid, request.max_trade_amount, "maxTradeAmount"),
        market_quantity_max=decode.lots(grid, request.market_limit_size, "marketLimitSize"),
        maker_ppm=decode.ppm(request.maker_fee_rate, "makerFeeRate"),
        taker_ppm=decode.ppm(request.taker_fee_rate, "takerFeeRate"),
        buy_band_ppm=decode.ppm(request.buy_limit_price_ratio, "buyLimitPriceRatio"),
        sell_band_ppm=decode.ppm(request.sell_limit_price_ratio, "sellLimitPriceRatio"),
        market_band_ppm=decode.ppm(request.market_price_ratio, "marketPriceRatio"),
    )


def increment(text: Money, name: str) -> tuple[int, int]:
    """Return a decimal increment as an integer and its scale."""
    scale = len(decode.amount_text(text).partition(".")[2].rstrip("0"))
    return decode.scale_amount(text, scale, name), scale


def _asset_view(asset: Asset) -> AssetView:
    return AssetView(asset.coin_id, asset.name, asset.scale)


def _instrument_view(market: SpotMarket) -> InstrumentView:
    listed = market.instrument
    return InstrumentView(
        symbol=listed.symbol,
        base_asset=listed.base,
        quote_asset=listed.quote,
        tick_size=texts.short_text(listed.tick, listed.price_scale),
        step_size=texts.short_text(listed.step, listed.quantity_scale),
        min_trade_amount=texts.quantity_text(listed, listed.quantity_min),
        max_trade_amount=texts.quantity_text(listed, listed.quantity_max),
        market_limit_size=texts.quantity_text(listed, listed.market_quantity_max),
        maker_fee_rate=texts.rate_text(listed.maker_ppm),
        taker_fee_rate=texts.rate_text(listed.taker_ppm),
        buy_limit_price_ratio=texts.rate_text(listed.buy_band_ppm),
        sell_limit_price_ratio=texts.rate_text(listed.sell_band_ppm),
        market_price_ratio=texts.rate_text(listed.market_band_ppm),
        halted=market.halted,
        halt_reason=market.halt_reason,
    )
