"""Operator operations of the contract side: contracts, index prices, positions, liquidations."""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import structs

from venue import texts
from venue.api import errors
from venue.api.names import MARGIN_MODE_NAMES, SEPARATED_MODE_NAMES
from venue.api.operation import Empty
from venue.api.operator.contracts import (
    TIERS_MAX,
    ChangeContractRequest,
    ChangePreview,
    ContractRequest,
    ContractView,
    DeleveragedPosition,
    DelistRequest,
    IndexRequest,
    LiquidationFill,
    LiquidationRequest,
    LiquidationsRequest,
    LiquidationStepView,
    LiquidationStoryView,
    LiquidationView,
    OperatorPosition,
    PositionsRequest,
    SettleRequest,
)
from venue.api.operator.preview import PreviewRefusal
from venue.api.operator.venue import HaltRequest, ResumeRequest
from venue.core.contract.listing import change_refused
from venue.core.contract.position import equity, liquidation_mark, maintenance, mark_of, profit
from venue.core.contract.records import Perpetual, Position
from venue.core.contract.reference.index import SPOT_SOURCE
from venue.core.contract.risk.changed_terms import foreseen, former_end
from venue.core.contract.risk.delisting import settle_range
from venue.core.contract.safe_terms import (
    funding_cap_most,
    impact_notional,
    index_notional,
    index_step_most,
)
from venue.core.instruments import Asset, Contract, Instrument, Tier
from venue.core.messages.commands import (
    ChangeContract,
    DelistContract,
    HaltInstrument,
    ListContract,
    PostIndex,
    SettleContract,
)
from venue.core.messages.events import Rejected
from venue.core.units import PPB, PPM
from venue.gateway.dispatch import decode
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import listed_contract
from venue.gateway.operations.operator.index_costs import index_cost
from venue.gateway.operations.operator.market_fields import check_contract
from venue.gateway.operations.operator.trading_hours import hours_texts, sessions
from venue.gateway.operations.operator.venue import increment, owner, submit_command
from venue.gateway.operations.refusals.contract import refusal
from venue.gateway.operations.refusals.spot import refusal as listing_refusal
from venue.history.questions import liquidations as questions
from venue.history.tables.contract import ContractFill, DeleveragedRow, LiquidationRow, StepRow
from venue.node.node import Node
from venue.node.references import References
from venue.times import US_PER_MS
from venue.vocabulary import PRODUCT_CONTRACT, AdlPolicy, Cause, PositionSide, Reject

ORDERS_TOLD: Final = 100  # of those that a change would end
POLICIES: Final = [policy.name for policy in AdlPolicy]
_TIER = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?):([0-9]{1,3}):(0\.[0-9]{1,6})", re.ASCII)
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


# -- contracts ------------------------------------------------------------------------------------


def contracts(call: Call, _: Empty) -> list[ContractView]:
    """Return all contracts."""
    node = call.node
    return [_contract_view(node, perp) for perp in node.engine.perps.values()]


async def list_contract(call: Call, request: ContractRequest) -> ContractView:
    """Open a contract market."""
    node = call.node
    base = _asset(node, request.base_asset, "baseAsset")
    settle = _asset(node, request.quote_asset, "quoteAsset")
    tick, price_scale = increment(request.tick_size, "tickSize")
    step, quantity_scale = increment(request.step_size, "stepSize")
    grid = Instrument(
        base.name + settle.name, base.name, settle.name, tick, price_scale, step, quantity_scale,
        1, 1, 1, 0, 0,
    )  # fmt: skip
    empty = Contract(grid, request.max_leverage, 1, 1, [], underlying=request.underlying_type)
    contract = _with(empty, request, settle)
    await submit_command(call, ListContract(contract))
    return _contract_view(node, node.perp(grid.symbol))


async def change_contract(call: Call, request: ChangeContractRequest) -> ContractView:
    """Set new limits, tiers, rates, bands or rules of prices."""
    node = call.node
    perp = node.perp(request.symbol)
    settle = node.asset(perp.market.instrument.quote)
    await submit_command(call, ChangeContract(_with(perp.contract, request, settle)))
    return _contract_view(node, perp)


def preview_change(call: Call, request: ChangeContractRequest) -> ChangePreview:
    """Return the effects that a change would have now. The answer also tells a refusal."""
    node = call.node
    perp = node.perp(request.symbol)
    empty = ChangePreview(node.engine.sequence, accepted=False)
    try:
        contract = _with(perp.contract, request, node.asset(perp.market.instrument.quote))
        refused = change_refused(node.engine.contracts, contract)
        if refused is not None:
            raise listing_refusal(refused)
    except errors.ApiError as problem:
        told = PreviewRefusal(problem.status, problem.code, problem.message)
        return structs.replace(empty, refused=told)
    found = foreseen(node.engine.contracts, contract)
    return structs.replace(
        empty,
        accepted=True,
        ended_orders=len(found.end),
        owners=found.owners,
        orders=found.end[:ORDERS_TOLD],
        taken_positions=found.take,
        kept_positions=found.keep,
        former_tiers_end=former_end(perp, contract, node.clock.now()) // US_PER_MS
        if found.keep
        else 0,
    )


async def halt_contract(call: Call, request: HaltRequest) -> ContractView:
    """Accept cancels only."""
    perp = call.node.perp(request.symbol)
    halt = HaltInstrument(perp.symbol, halted=True, reason=request.reason, product=PRODUCT_CONTRACT)
    await submit_command(call, halt)
    return _contract_view(call.node, perp)


async def resume_contract(call: Call, request: ResumeRequest) -> ContractView:
    """Accept orders again."""
    perp = call.node.perp(request.symbol)
    await submit_command(call, HaltInstrument(perp.symbol, halted=False, product=PRODUCT_CONTRACT))
    return _contract_view(call.node, perp)


async def delist_contract(call: Call, request: DelistRequest) -> ContractView:
    """Announce the end of a contract: from now on its orders only reduce."""
    perp = call.node.perp(request.symbol)
    await submit_command(call, DelistContract(perp.symbol))
    return _contract_view(call.node, perp)


async def settle_contract(call: Call, request: SettleRequest) -> ContractView:
    """Close all positions of a delisted contract at a price near its last mark."""
    perp = call.node.perp(request.symbol)
    instrument = perp.market.instrument
    price = decode.ticks(instrument, request.price, "price")
    (applied,) = await call.node.submit([SettleContract(perp.symbol, price)])
    for event in applied.events[:1]:
        if isinstance(event, Rejected):
            if event.reason != Reject.SETTLE_PRICE:
                raise listing_refusal(event)
            low, high = (texts.price_text(instrument, bound) for bound in settle_range(perp))
            raise errors.out_of_range("price", f"allowed: {low} to {high}, near the last mark")
    return _contract_view(call.node, perp)


async def post_index(call: Call, request: IndexRequest) -> ContractView:
    """Set one source's index price, with its effects; not while the index is held."""
    perp = call.node.perp(request.symbol)
    held = References(call.node.engine).held_reference(perp.symbol)
    if held is not None:  # another price would move the mark away from the held one
        at = texts.price_text(perp.market.instrument, held.price(call.node.clock.now()))
        raise errors.failed_precondition(
            f"the index of {perp.symbol} is held at {at}: hold it at another price, or release it"
        )
    posted = [name for name in perp.contract.index_sources if name != SPOT_SOURCE]
    source = request.source
    if source is None:
        if len(posted) > 1:
            raise errors.missing("source")
        source = posted[0] if posted else ""
    if source not in posted:
        rule = (
            f"must be one of {', '.join(posted)}" if posted else "the index follows the spot market"
        )
        raise errors.invalid("source", rule)
    if request.jump and not call.node.practice:
        raise errors.invalid("jump", "only a practice venue's index can be set at once")
    price = decode.ticks(perp.market.instrument, request.price, "price")
    command = PostIndex(perp.symbol, source, price, jump=request.jump)
    (applied,) = await call.node.submit([command])
    for event in applied.events[:1]:
        if isinstance(event, Rejected):
            raise refusal(event, listed_contract(call.node, perp.symbol))
    return _contract_view(call.node, perp)


def _with(
    contract: Contract, request: ContractRequest | ChangeContractRequest, settle: Asset
) -> Contract:
    """Return a contract with the fields that a request gives."""
    grid = contract.instrument
    lots = {
        "quantity_min": ("minOrderSize", request.min_order_size),
        "quantity_max": ("maxOrderSize", request.max_order_size),
        "market_quantity_max": ("marketOpenLimitSize", request.market_open_limit_size),
    }
    rates = {
        "maker_ppm": ("makerFeeRate", request.maker_fee_rate),
        "taker_ppm": ("takerFeeRate", request.taker_fee_rate),
        "buy_band_ppm": ("buyLimitPriceRatio", request.buy_limit_price_ratio),
        "sell_band_ppm": ("sellLimitPriceRatio", request.sell_limit_price_ratio),
        "market_band_ppm": ("marketPriceRatio", request.market_price_ratio),
    }
    listed = {field: decode.lots(grid, text, name) for field, (name, text) in lots.items() if text}
    listed |= {field: decode.ppm(text, name) for field, (name, text) in rates.items() if text}
    changes: dict[str, Any] = {"instrument": structs.replace(grid, **listed)}
    if request.max_position_size:
        changes["position_max"] = decode.lots(grid, request.max_position_size, "maxPositionSize")
    if request.max_open_interest:
        changes["open_interest_max"] = decode.lots(
            grid, request.max_open_interest, "maxOpenInterest"
        )
    if request.max_owner_share:
        changes["share_ppm"] = decode.ppm(request.max_owner_share, "maxOwnerShare")
    if request.max_leverage:
        changes["leverage_max"] = request.max_leverage
    if request.tiers is not None:
        changes["tiers"] = _tiers(request.tiers, settle)
    if request.liquidation_fee_rate:
        changes["liquidation_ppm"] = decode.ppm(request.liquidation_fee_rate, "liquidationFeeRate")
    if request.index_sources is not None:
        changes["index_sources"] = tuple(request.index_sources)
    if request.funding_times is not None:
        changes["funding_minutes"] = tuple(_minute(text) for text in request.funding_times)
    if request.trading_hours is not None:
        changes["market_hours"] = sessions(request.trading_hours)
    if request.adl_policy is not None:
        changes["adl_policy"] = int(AdlPolicy[request.adl_policy])
    amounts = {
        "index_notional": ("indexNotional", request.index_notional),
        "impact_notional": ("impactNotional", request.impact_notional),
    }
    for field, (name, text) in amounts.items():
        if text:
            changes[field] = decode.scale_amount(text, settle.scale, name)
    made = _with_caps(structs.replace(contract, **changes), request)
    sent = [name for name, text in lots.values() if text]
    check_contract(made, settle, [*sent, "maxPositionSize"] if request.max_position_size else sent)
    return made


def _with_caps(made: Contract, request: ContractRequest | ChangeContractRequest) -> Contract:
    """Return a contract with the index step and the funding cap of a request, or within those that
    its tiers allow."""
    step_ppm = min(made.index_step_ppm, index_step_most(made))
    if request.index_step_rate:
        step_ppm = decode.ppm(request.index_step_rate, "indexStepRate")
    cap_ppb = min(made.funding_cap_ppb, funding_cap_most(made))
    if request.funding_cap_rate:
        cap_ppb = decode.ppm(request.funding_cap_rate, "fundingCapRate") * (PPB // PPM)
    return structs.replace(made, funding_cap_ppb=cap_ppb, index_step_ppm=step_ppm)


def _asset(node: Node, text: str, name: str) -> Asset:
    if text.upper() not in node.engine.ordinals:
        raise errors.invalid(name, "no such asset")
    return node.asset(text.upper())


def _tiers(asked: list[str], settle: Asset) -> list[Tier]:
    if len(asked) > TIERS_MAX:
        raise errors.out_of_range("tiers", f"at most {TIERS_MAX} tiers are allowed")
    tiers = []
    for text in asked:
        found = _TIER.fullmatch(text)
        if found is None:
            raise errors.invalid(
                "tiers", "each must be notional:leverage:maintenanceRate, e.g. 2000000:100:0.004"
            )
        cap = decode.scale_amount(found[1], settle.scale, "tiers")
        tiers.append(Tier(cap, int(found[2]), decode.ppm(found[3], "tiers")))
    return tiers


def _minute(text: str) -> int:
    found = _TIME.fullmatch(text)
    if found is None:
        raise errors.invalid("fundingTimes", "each must be a time of day such as 08:00")
    return int(found[1]) * 60 + int(found[2])


def _contract_view(node: Node, perp: Perpetual) -> ContractView:
    contract = perp.contract
    listed = contract.instrument
    settle = node.asset(listed.quote)
    return ContractView(
        symbol=listed.symbol,
        base_asset=listed.base,
        quote_asset=listed.quote,
        tick_size=texts.short_text(listed.tick, listed.price_scale),
        step_size=texts.short_text(listed.step, listed.quantity_scale),
        min_order_size=texts.quantity_text(listed, listed.quantity_min),
        max_order_size=texts.quantity_text(listed, listed.quantity_max),
        market_open_limit_size=texts.quantity_text(listed, listed.market_quantity_max),
        max_position_size=texts.quantity_text(listed, contract.position_max),
        max_open_interest=texts.quantity_text(listed, contract.open_interest_max),
        max_owner_share=texts.rate_text(contract.share_ppm),
        max_leverage=contract.leverage_max,
        tiers=[
            f"{texts.short_text(tier.notional_max, settle.scale)}:{tier.leverage_max}:"
            f"{texts.rate_text(tier.maintenance_ppm)}"
            for tier in contract.tiers
        ],
        maker_fee_rate=texts.rate_text(listed.maker_ppm),
        taker_fee_rate=texts.rate_text(listed.taker_ppm),
        liquidation_fee_rate=texts.rate_text(contract.liquidation_ppm),
        buy_limit_price_ratio=texts.rate_text(listed.buy_band_ppm),
        sell_limit_price_ratio=texts.rate_text(listed.sell_band_ppm),
        market_price_ratio=texts.rate_text(listed.market_band_ppm),
        index_sources=list(contract.index_sources),
        funding_times=[
            f"{minute // 60:02}:{minute % 60:02}" for minute in contract.funding_minutes
        ],
        underlying_type=contract.underlying,
        trading_hours=hours_texts(contract.market_hours),
        reopens=perp.reopens // US_PER_MS,
        adl_policy=POLICIES[contract.adl_policy],
        halted=perp.market.halted,
        halt_reason=perp.market.halt_reason,
        index_price=texts.order_price_text(listed, perp.index_price),
        mark_price=texts.order_price_text(listed, perp.mark),
        index_is_current=perp.current,
        open_interest=texts.quantity_text(listed, perp.open_interest),
        index_notional=texts.short_text(index_notional(contract), settle.scale),
        impact_notional=texts.short_text(impact_notional(contract), settle.scale),
        index_step_rate=texts.rate_text(contract.index_step_ppm),
        funding_cap_rate=texts.funding_text(perp.funding_cap_ppb),
        in_doubt=perp.doubt,
        state=_state(perp),
        settle_price=texts.order_price_text(listed, perp.delisted.price if perp.delisted else 0),
        index_cost=index_cost(node, perp),
        former_positions=len(perp.former),
        former_tiers_end=perp.former_end // US_PER_MS if perp.former else 0,
    )


def _state(perp: Perpetual) -> str:
    delisted = perp.delisted
    if delisted is None:
        return "LISTED"
    if not delisted.price:
        return "REDUCE_ONLY"
    return "SETTLED" if delisted.done else "SETTLING"


# -- positions ------------------------------------------------------------------------------------


def operator_positions(call: Call, request: PositionsRequest) -> list[OperatorPosition]:
    """Return an owner's open positions, the oldest first."""
    holding = call.node.engine.holding(owner(call.node, request.owner).uid)
    return [_position_view(call.node, position) for position in holding.positions.values()]


def _position_view(node: Node, position: Position) -> OperatorPosition:
    perp = position.perp
    pool = position.pool
    listed = perp.market.instrument
    asset = node.asset(listed.quote)
    return OperatorPosition(
        id=position.position_id,
        symbol=perp.symbol,
        side=PositionSide(position.side).name,
        margin_type=MARGIN_MODE_NAMES[int(pool.position_id != 0)],
        separated_mode=SEPARATED_MODE_NAMES[int(position.separated)],
        leverage=position.leverage,
        size=texts.quantity_text(listed, position.quantity),
        entry_price=texts.average_text(perp, position.value, position.quantity),
        mark_price=texts.price_text(listed, mark_of(position)),
        liquidate_price=texts.order_price_text(listed, liquidation_mark(position)),
        unrealize_pnl=texts.amount_text(asset, profit(position)),
        asset=asset.name,
        pool_equity=texts.amount_text(asset, equity(pool)),
        pool_maintenance=texts.amount_text(asset, maintenance(pool)),
        former_tiers_end=perp.former_end // US_PER_MS if position.tiers is not perp.tiers else 0,
    )


# -- liquidations ---------------------------------------------------------------------------------


async def liquidations(call: Call, request: LiquidationsRequest) -> list[LiquidationView]:
    """Return the newest liquidations first."""
    node = call.node
    uid = owner(node, request.owner).uid if request.owner is not None else None
    rows: list[LiquidationRow] = await node.ask(questions.liquidations, uid, request.limit)
    return [_liquidation_view(node, row) for row in rows]


async def liquidation(call: Call, request: LiquidationRequest) -> LiquidationStoryView:
    """Return one liquidation with each of its steps."""
    node = call.node
    story = await node.ask(questions.liquidation, request.id)
    if story is None:
        raise errors.invalid("id", "no such liquidation")
    asset = node.asset(story.liquidation.asset)
    return LiquidationStoryView(
        liquidation=_liquidation_view(node, story.liquidation),
        steps=[_step_view(node, asset, row) for row in story.steps],
        fills=[_fill_view(node, asset, row) for row in story.fills],
        deleveraged=[_deleveraged_view(node, row) for row in story.deleveraged],
    )


def _liquidation_view(node: Node, row: LiquidationRow) -> LiquidationView:
    asset = node.asset(row.asset)
    return LiquidationView(
        id=row.liquidation_id,
        uid=row.uid,
        owner=node.engine.account(row.uid).name,
        position=row.position_id,
        asset=row.asset,
        symbol=row.symbol,
        time=row.time // 1000,
        finished=row.finished // 1000,
        equity=texts.amount_text(asset, row.equity),
        maintenance=texts.amount_text(asset, row.maintenance),
        collateral=texts.amount_text(asset, row.collateral),
        equity_after=texts.amount_text(asset, row.equity_after),
        maintenance_after=texts.amount_text(asset, row.maintenance_after),
        topped_up=texts.amount_text(asset, row.topped_up),
        compensated=texts.amount_text(asset, row.compensated),
        fund_equity=texts.amount_text(asset, row.fund_equity),
    )


def _step_view(node: Node, asset: Asset, row: StepRow) -> LiquidationStepView:
    listed = node.perp(row.symbol).market.instrument
    return LiquidationStepView(
        position=row.position_id,
        symbol=row.symbol,
        side=PositionSide(row.side).name,
        mark_price=texts.price_text(listed, row.mark_price),
        tier=row.tier + 1,
        bankruptcy_price=texts.price_text(listed, row.bankruptcy_price),
        wanted=texts.quantity_text(listed, row.wanted),
        filled=texts.quantity_text(listed, row.filled),
        taken_over=texts.quantity_text(listed, row.taken_over),
        deleveraged=texts.quantity_text(listed, row.deleveraged),
        fee=texts.amount_text(asset, row.fee),
        fund_change=texts.amount_text(asset, row.fund_change),
    )


def _fill_view(node: Node, asset: Asset, row: ContractFill) -> LiquidationFill:
    listed = node.perp(row.symbol).market.instrument
    return LiquidationFill(
        trade_id=row.trade_id,
        cause=Cause(row.cause).name,
        symbol=row.symbol,
        price=texts.price_text(listed, row.price),
        qty=texts.quantity_text(listed, row.quantity),
        realized_pnl=texts.amount_text(asset, row.realized),
        fee=texts.amount_text(asset, row.fee),
        time=row.time // 1000,
    )


def _deleveraged_view(node: Node, row: DeleveragedRow) -> DeleveragedPosition:
    listed = node.perp(row.symbol).market.instrument
    return DeleveragedPosition(
        position=row.position_id,
        uid=row.uid,
        owner=node.engine.account(row.uid).name,
        symbol=row.symbol,
        qty=texts.quantity_text(listed, row.quantity),
        price=texts.price_text(listed, row.price),
        rank=row.rank,
    )
