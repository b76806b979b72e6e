"""The commissions of affiliates, and the assets and trades of their invited owners."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

from venue.api import errors
from venue.api.spot.commissions import (
    Commission,
    CommissionsPage,
    CommissionsRequest,
    InvitedAssets,
    InvitedAssetsRequest,
    InvitedDeals,
    InvitedDealsList,
    InvitedDealsRequest,
    InvitedDeposit,
    InvitedTrades,
    InvitedTradesPage,
    InvitedTradesRequest,
    SubCommission,
    SubCommissionsPage,
    SubCommissionsRequest,
)
from venue.candles import DAY_US
from venue.gateway.door import Call
from venue.gateway.operations.pools import available_of, wallet_of
from venue.gateway.operations.spot.people import (
    SPAN_DAYS,
    affiliate_of,
    inviter_of,
    newest,
    span,
    usdt,
    usdt_text,
)
from venue.history.questions import affiliates as questions
from venue.history.tables.affiliates import CommissionRow, CommissionsOf, EarnedSums, MoneyRow
from venue.node.node import Node
from venue.texts import amount_text, rate_text
from venue.times import US_PER_MS
from venue.vocabulary import (
    PRODUCT_CONTRACT,
    PRODUCT_SPOT,
    WALLET_SPOT,
)

MS_PER_DAY: Final = 86_400_000
COMMISSION_DAYS: Final = 92  # any three months
COMMISSION_DAYS_PLAIN: Final = 7
DAYS_PLAIN: Final = 30
DEALS_MAX: Final = 100
DIRECT: Final = 1
PRODUCTS: Final = {"SPOT": PRODUCT_SPOT, "FUTURES": PRODUCT_CONTRACT}
PRODUCT_NAMES: Final = {product: name for name, product in PRODUCTS.items()}


async def invited_trades(call: Call, request: InvitedTradesRequest) -> InvitedTradesPage:
    """Deposits, withdrawals and trades of the owners that the caller invited."""
    node = call.node
    affiliate_of(call, -1051)
    begin, until = span(request.start_time, request.end_time, node.clock.now())
    uids = [uid for uid in newest(node, call.uid) if request.uid in (None, uid)]
    size = request.page_size
    shown = uids[(request.page - 1) * size : request.page * size]
    money: list[MoneyRow] = []
    earned: list[EarnedSums] = []
    if shown:
        money = await node.ask(questions.money, shown, begin, until)
        which = CommissionsOf([call.uid], begin // DAY_US, until // DAY_US)
        earned = await node.ask(questions.earned_sums, which, shown)
    return InvitedTradesPage(
        [_trades(node, uid, money, earned) for uid in shown], -(-len(uids) // size), size,
        len(uids),
    )  # fmt: skip


def _trades(node: Node, uid: int, money: list[MoneyRow], earned: list[EarnedSums]) -> InvitedTrades:
    own = [row for row in money if row.uid == uid]
    return InvitedTrades(
        str(uid),
        _sum(node, [(row.asset, row.amount) for row in own if row.amount > 0]),
        _sum(node, [(row.asset, -row.amount) for row in own if row.amount < 0]),
        _traded_sum(node, uid, PRODUCT_SPOT, earned),
        _traded_sum(node, uid, PRODUCT_CONTRACT, earned),
        _sum(node, [(row.asset, row.commission) for row in earned if row.uid == uid]),
    )


def _traded_sum(node: Node, uid: int, product: int, earned: list[EarnedSums]) -> str:
    own = [row for row in earned if (row.uid, row.product) == (uid, product)]
    return _sum(node, [(row.asset, row.traded) for row in own])


def _sum(node: Node, amounts: list[tuple[str, int]]) -> str:
    return usdt_text(node, sum(usdt(node, asset, atoms) for asset, atoms in amounts))


async def commissions(call: Call, request: CommissionsRequest) -> CommissionsPage:
    """Return the caller's commissions."""
    node = call.node
    affiliate_of(call, -1051)
    begin, until = span(
        request.start_time, request.end_time, node.clock.now(), longest=COMMISSION_DAYS,
        plain=COMMISSION_DAYS_PLAIN,
    )  # fmt: skip
    which = CommissionsOf(
        [call.uid], begin // DAY_US, until // DAY_US, request.uid, coin_of(node, request.coin),
        PRODUCTS[request.product_type],
    )  # fmt: skip
    size = request.page_size
    total, rows = await node.ask(questions.commissions, which, request.page, size)
    items = [_commission(node, row) for row in rows]
    return CommissionsPage(items, -(-total // size), size, total)


def coin_of(node: Node, coin: str | None) -> str:
    """Return the name of an asset, empty for none. ApiError -1142 naming `coin` when there is no
    such asset."""
    name = (coin or "").upper()
    if name and name not in node.engine.ordinals:
        raise errors.invalid("coin", "no such asset")
    return name


def _commission(node: Node, row: CommissionRow) -> Commission:
    asset = node.asset(row.asset)
    return Commission(
        uid=row.uid,
        date=row.day * MS_PER_DAY,
        coin=row.asset,
        product_type=PRODUCT_NAMES[row.product],
        fee=amount_text(asset, row.fee),
        commission=amount_text(asset, row.commission),
        rate=rate_text(row.rate_ppm),
        symbol="",
        taker_amount=amount_text(asset, row.taker),
        maker_amount=amount_text(asset, row.maker),
        source_type=DIRECT,
    )


async def sub_commissions(call: Call, request: SubCommissionsRequest) -> SubCommissionsPage:
    """Commissions of the affiliates that the caller invited."""
    node = call.node
    affiliate_of(call, -1051)
    begin, until = span(request.start_time, request.end_time, node.clock.now())
    subs = [
        uid
        for uid in newest(node, call.uid)
        if request.sub_uid in (None, uid) and _is_affiliate(node, uid)
    ]
    total, size = 0, request.page_size
    rows: list[CommissionRow] = []
    if subs:
        which = CommissionsOf(
            subs, begin // DAY_US, until // DAY_US, product=PRODUCTS[request.product_type]
        )
        total, rows = await node.ask(questions.commissions, which, request.page_num, size)
    records = [
        SubCommission(
            row.affiliate, PRODUCT_NAMES[row.product], row.day * MS_PER_DAY,
            _sum(node, [(row.asset, row.maker + row.taker)]),
            _sum(node, [(row.asset, row.fee)]),
            _sum(node, [(row.asset, row.commission)]),
        )
        for row in rows
    ]  # fmt: skip
    return SubCommissionsPage(records, total, size, request.page_num, -(-total // size))


post_sub_commissions = sub_commissions  # the document has both methods


def _is_affiliate(node: Node, uid: int) -> bool:
    benefits = node.engine.account(uid).benefits
    return benefits is not None and benefits.affiliate is not None


async def invited_assets(call: Call, request: InvitedAssetsRequest) -> InvitedAssets:
    """Return the assets of an owner that the caller invited."""
    node = call.node
    affiliate_of(call, -1051)
    first, last = _days(request.start_time, request.end_time, node.clock.now())
    if inviter_of(node, request.user_id) != call.uid:
        # The caller must not learn whether another invited the owner or it does not exist.
        raise errors.invalid("userId", "the caller invited no such owner")
    begin, until = _day_us(first), _day_us(last) + DAY_US - 1
    money = await node.ask(questions.money, [request.user_id], begin, until)
    deposits = [row for row in money if row.amount > 0]
    account = node.engine.account(request.user_id)
    holding = node.engine.holding(request.user_id)
    names = [asset.name for asset in node.engine.assets]
    spot = [account.total(WALLET_SPOT, ordinal) for ordinal in range(len(names))]
    free = [available_of(holding, ordinal) for ordinal in range(len(names))]
    contract = [wallet_of(holding, ordinal) for ordinal in range(len(names))]
    return InvitedAssets(
        available_balance=_sum(node, list(zip(names, free, strict=True))),
        funding_total_usdt=_sum(node, list(zip(names, account.funding, strict=True))),
        spot_pro_total_usdt=_sum(node, list(zip(names, spot, strict=True))),
        unimargin_total_usdt=_sum(node, list(zip(names, contract, strict=True))),
        deposit_total_amount=_sum(node, [(row.asset, row.amount) for row in deposits]),
        deposit_list=[
            InvitedDeposit(
                row.asset, amount_text(node.asset(row.asset), row.amount), row.time // US_PER_MS
            )
            for row in deposits
        ],
    )


async def invited_deals(call: Call, request: InvitedDealsRequest) -> InvitedDealsList:
    """Trades of the owners that the caller invited; others are left out."""
    node = call.node
    affiliate_of(call, -1051)
    first, last = _days(request.start_time, request.end_time, node.clock.now())
    asked = request.user_ids
    if asked is None:
        uids = newest(node, call.uid)[:DEALS_MAX]
    else:
        uids = [uid for uid in dict.fromkeys(asked) if inviter_of(node, uid) == call.uid]
    which = CommissionsOf([call.uid], _day_us(first) // DAY_US, _day_us(last) // DAY_US)
    earned = await node.ask(questions.earned_sums, which, uids) if uids else []
    data: list[InvitedDeals] = []
    for uid in uids:
        spot = _traded_sum(node, uid, PRODUCT_SPOT, earned)
        futures = _traded_sum(node, uid, PRODUCT_CONTRACT, earned)
        data.append(InvitedDeals(uid, spot, futures, spot, first.isoformat(), last.isoformat()))
    return InvitedDealsList(data)


def _days(start: str | None, end: str | None, now: int) -> tuple[date, date]:
    """Return the first and the last day (UTC) of a span of at most 90."""
    last = _day(end, "endTime") if end is not None else _today(now)
    first = _day(start, "startTime") if start is not None else last - timedelta(DAYS_PLAIN - 1)
    if first > last:
        raise errors.time_order()
    if (last - first).days >= SPAN_DAYS:
        raise errors.error(-1170, name="startTime", rule=f"at most {SPAN_DAYS} days up to endTime")
    return first, last


def _today(now: int) -> date:
    return datetime.fromtimestamp(now // 1_000_000, UTC).date()


def _day(text: str, name: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise errors.invalid(name, "must be a day such as 2026-01-31") from None
    if not 1970 < found.year <= 2999:
        raise errors.out_of_range(name, "allowed: 1971-01-01 to 2999-12-31")
    return found


def _day_us(day: date) -> int:
    return (day - date(1970, 1, 1)).days * DAY_US
