"""Account questions: balances from the engine, the past from history."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.names import (
    WALLET_NAMES,
    WALLETS,
)
from venue.api.operation import Empty
from venue.api.spot.account import (
    AccountReply,
    BalanceView,
    BillsRequest,
    BillView,
    CommissionRates,
    FundingBills,
    FundingBillsRequest,
    TaxIncomeRequest,
    TransferRecord,
    TransferRecordsRequest,
)
from venue.core.units import FIRST_ID
from venue.gateway.door import Call
from venue.gateway.operations.requests import span
from venue.history.questions import spot as questions
from venue.history.tables.spot import (
    BillRow,
    BillsOf,
    TransferRow,
    TransfersOf,
)
from venue.node.node import Node
from venue.texts import (
    amount_text,
    decimal_text,
    quantity_text,
)
from venue.times import LAST_US_OF_MS, US_PER_MS
from venue.vocabulary import WALLET_FUNDING, WALLET_SPOT

COMMISSION_SCALE: Final = 8
PPM_TO_COMMISSION: Final = 100  # parts per million in units of 10^-8
PPM_PER_BASIS_POINT: Final = 100
FIRST_TIME_MS: Final = 10**12  # in 2001: no smaller number is a time in ms


# -- balances -------------------------------------------------------------------------------------


async def account(call: Call, _: Empty) -> AccountReply:
    """Return the spot account."""
    changed = await _last_change(call)
    node = call.node
    engine = node.engine
    owner = engine.account(call.uid)
    maker, taker = _rates(node, call.uid)
    balances = [
        BalanceView(
            asset.name,
            amount_text(asset, owner.spot[ordinal].free),
            amount_text(asset, owner.spot[ordinal].locked),
        )
        for ordinal, asset in enumerate(engine.assets)
        if owner.spot[ordinal].free or owner.spot[ordinal].locked
    ]
    return AccountReply(
        maker_commission=maker // PPM_PER_BASIS_POINT,
        taker_commission=taker // PPM_PER_BASIS_POINT,
        commission_rates=CommissionRates(
            decimal_text(maker * PPM_TO_COMMISSION, COMMISSION_SCALE),
            decimal_text(taker * PPM_TO_COMMISSION, COMMISSION_SCALE),
        ),
        can_trade=not owner.frozen,
        can_withdraw=not owner.frozen,
        can_deposit=True,
        brokered=False,
        require_self_trade_prevention=False,
        prevent_sor=False,
        update_time=changed // US_PER_MS,
        account_type="SPOT",
        balances=balances,
        permissions=["SPOT"],
        uid=call.uid,
    )


async def _last_change(call: Call) -> int:
    """Return the time of the account's last change (µs): after a restart, from open orders and
    bills."""
    node, uid = call.node, call.uid
    known = node.spot_changes.time(uid)
    if known:
        return known
    orders = node.engine.spot_account(uid).orders.values()
    bills: list[BillRow] = []
    with suppress(ApiError):  # balances are told while history is not there
        bills = await node.ask(questions.bills, BillsOf(uid, WALLET_SPOT), 1)
    return max([0, *(found.update_time for found in orders), *(bill.time for bill in bills)])


def _rates(node: Node, uid: int) -> tuple[int, int]:
    """Maker and taker ppm: the account's tier, otherwise those of the venue's first market."""
    owner = node.engine.account(uid)
    if owner.maker_ppm >= 0:
        return owner.maker_ppm, owner.taker_ppm
    for market in node.engine.spot_markets.values():
        return market.maker_ppm, market.taker_ppm
    return 0, 0


# -- bills ----------------------------------------------------------------------------------------


async def bills(call: Call, request: BillsRequest) -> list[BillView]:
    """Movements of the spot wallet; cursors from 10^12 to 10^15 are ms times, others bill ids."""
    node = call.node
    node.check_rows(call.uid)
    asset = node.asset_by_coin(request.coin_id)
    after, before = request.after, request.before
    alike = _is_id(after) == _is_id(before)
    if alike and after is not None and before is not None and after > before:
        raise errors.time_order("after", "before")
    which = BillsOf(
        call.uid,
        WALLET_SPOT,
        asset=asset.name if asset is not None else "",
        kind=request.biz_type or "",
        after_id=after if _is_id(after) else None,
        before_id=before if _is_id(before) else None,
        after_time=_ms_end(after) if not _is_id(after) else None,
        before_time=_ms_start(before) if not _is_id(before) else None,
    )
    rows = await node.ask(questions.bills, which, request.limit)
    return [_bill_view(node, row, "0") for row in rows]


async def funding_bills(call: Call, request: FundingBillsRequest) -> FundingBills:
    """Movements of the funding wallet, in pages."""
    node = call.node
    asset = node.asset_by_coin(request.coin_id)
    start, end = span(request.start_time, request.end_time)
    which = BillsOf(
        call.uid,
        WALLET_FUNDING,
        asset=asset.name if asset is not None else "",
        kind=request.biz_type or "",
        start=start,
        end=end,
    )
    page, size = request.page_index, request.page_size
    total, rows = await node.ask(questions.bills_paged, which, page, size)
    pages = -(-total // size)
    items = [_bill_view(node, row, None) for row in rows]
    return FundingBills(total, size, pages, page, page < pages, items)


async def tax_income(call: Call, request: TaxIncomeRequest) -> list[BillView]:
    """Spot bills of a calendar month."""
    node = call.node
    node.check_rows(call.uid)
    name = (request.coin or "").upper()
    if name and name not in node.engine.ordinals:
        raise errors.invalid("coin", "no such asset")
    start, end = _month(request.month, node.clock.now())
    which = BillsOf(
        call.uid, WALLET_SPOT, asset=name, kind=request.biz_type or "", start=start, end=end - 1
    )
    rows = await node.ask(questions.bills, which, request.limit, request.page)
    return [_bill_view(node, row, "0") for row in rows]


async def transfer_records(call: Call, request: TransferRecordsRequest) -> list[TransferRecord]:
    """Transfers between own wallets."""
    node = call.node
    asset = node.asset_by_coin(request.coin_id)
    if request.after is not None and request.before is not None and request.after > request.before:
        raise errors.time_order("after", "before")
    which = TransfersOf(
        call.uid,
        asset=asset.name if asset is not None else "",
        source=WALLETS[request.from_type] if request.from_type is not None else None,
        after_time=_ms_end(request.after),
        before_time=_ms_start(request.before),
    )
    rows = await node.ask(questions.transfers, which, request.limit)
    return [_transfer_view(node, row) for row in rows]


def _is_id(cursor: int | None) -> bool:
    return cursor is not None and not FIRST_TIME_MS <= cursor < FIRST_ID


def _ms_end(time: int | None) -> int | None:
    """Return the last µs of a ms: later than it, in ms, means later than this."""
    return time * US_PER_MS + LAST_US_OF_MS if time is not None else None


def _ms_start(time: int | None) -> int | None:
    return time * US_PER_MS if time is not None else None


def _month(month: str | None, now: int) -> tuple[int, int]:
    """First µs of a calendar month (UTC) and of the next; the current month for None."""
    if month is None:
        current = datetime.fromtimestamp(now / 1_000_000, UTC)
        year, number = current.year, current.month
    else:
        year, number = int(month[:4]), int(month[5:])
    if not 1970 <= year <= 2999:
        raise errors.out_of_range("month", "allowed: 1970-01 to 2999-12")
    begin = datetime(year, number, 1, tzinfo=UTC)
    end = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)
    return int(begin.timestamp()) * 1_000_000, int(end.timestamp()) * 1_000_000


def _bill_view(node: Node, row: BillRow, no_fill: str | None) -> BillView:
    asset = node.asset(row.asset)
    size = value = no_fill
    if row.symbol is not None and row.fill_quantity is not None and row.fill_notional is not None:
        instrument = node.instrument(row.symbol)
        size = quantity_text(instrument, row.fill_quantity)
        value = amount_text(node.asset(instrument.quote), row.fill_notional)
    return BillView(
        bill_id=str(row.bill_id),
        coin_id=asset.coin_id,
        coin_name=asset.name,
        biz_type=row.kind,
        fill_size=size,
        fill_value=value,
        delta_amount=amount_text(asset, row.amount),
        after_amount=amount_text(asset, row.after),
        fees=amount_text(asset, row.fee),
        c_time=str(row.time // US_PER_MS),
    )


def _transfer_view(node: Node, row: TransferRow) -> TransferRecord:
    return TransferRecord(
        coin_name=row.asset,
        status="Successful",
        to_type=WALLET_NAMES[row.target],
        to_symbol="",
        from_type=WALLET_NAMES[row.source],
        from_symbol="",
        amount=amount_text(node.asset(row.asset), row.amount),
        trade_time=str(row.time // US_PER_MS),
    )
