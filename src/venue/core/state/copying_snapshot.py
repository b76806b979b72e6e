"""Converts copy trading to records and back; see `snapshot`."""

from __future__ import annotations

import msgspec

from venue.core.copying.people import (
    IN_LINE,
    CopiedPosition,
    Copy,
    Echo,
    Following,
    Lead,
    Track,
    Trader,
)
from venue.core.engine import Engine
from venue.core.messages.copy_commands import CopyConfig


class TrackRecord(msgspec.Struct, array_like=True, gc=False):
    """A lead's copied position; an ended one is stored as long as it has copies."""

    lead_uid: int
    number: int
    symbol: str
    side: int
    quantity: int
    order_id: int
    first_order_id: int
    followers: int


class LeadRecord(msgspec.Struct, array_like=True):
    uid: int
    asset: int
    active: bool
    share_ppm: int
    third_uid: int
    third_ppm: int
    symbols: list[str]
    tracks: list[TrackRecord]
    counted: list[int]


class CopyRecord(msgspec.Struct, array_like=True, gc=False):
    """A copy; `sums` are in the order of `_sums`."""

    number: int
    track: int
    position_id: int
    sums: list[int]


class FollowingRecord(msgspec.Struct, array_like=True):
    number: int
    uid: int
    lead_uid: int
    active: bool
    unified: bool
    configs: list[CopyConfig]
    share_ppm: int
    net: int
    high: int
    prepaid: int
    today: int
    created: int
    copies: list[CopyRecord]


class EchoRecord(msgspec.Struct, array_like=True, gc=False):
    """Fills that a lead's followers are still to repeat; `numbers` as in `_numbers`."""

    track: int
    opens: bool
    first: bool
    numbers: list[int]


class CopyingState(msgspec.Struct, array_like=True):
    """Copy trading; `echoes` are by lead, in the order of their turns."""

    day: int
    settling: int
    settle_last: int
    next_number: int
    leads: list[LeadRecord]
    ended: list[TrackRecord]
    followings: list[FollowingRecord]
    echoes: list[tuple[int, list[EchoRecord]]]
    behind: list[int]


def dump(engine: Engine) -> CopyingState | None:
    """Copy trading, in an order that follows from the commands; None before the first lead."""
    copying, books = engine.copying, engine.copying.books
    if not books.traders:
        return None
    leads = [trader.lead for _, trader in sorted(books.traders.items()) if trader.lead is not None]
    ended: dict[int, tuple[Lead, Track]] = {}
    for following in books.followings.values():
        for copy in following.copies.values():
            if copy.track.position is None:
                ended[copy.track.number] = following.lead, copy.track
    for echoes in books.echoes.values():
        for echo in echoes:
            if echo.track.position is None:
                ended[echo.track.number] = echo.lead, echo.track
    return CopyingState(
        copying.day,
        copying.settling,
        copying.settle_last,
        books.next_number,
        [_lead_record(lead) for lead in leads],
        [_track_record(lead, track) for _, (lead, track) in sorted(ended.items())],
        [_following_record(following) for following in books.followings.values()],
        [(uid, [_echo_record(echo) for echo in echoes]) for uid, echoes in books.echoes.items()],
        [copy.number for copy in books.behind.copies()],
    )


def load(engine: Engine, state: CopyingState | None) -> None:
    """Load copy trading; owners and positions are loaded already."""
    if state is None:
        return
    copying, books = engine.copying, engine.copying.books
    copying.day, copying.settling, copying.settle_last = (
        state.day, state.settling, state.settle_last,
    )  # fmt: skip
    books.next_number = state.next_number
    leads: dict[int, Lead] = {}
    tracks: dict[int, Track] = {}
    for record in state.leads:
        lead = leads[record.uid] = _lead(engine, record)
        books.traders[record.uid] = Trader()
        books.traders[record.uid].lead = lead
        for found in record.tracks:
            tracks[found.number] = lead.tracks[found.number] = _track(engine, found)
    for found in state.ended:
        tracks[found.number] = _track(engine, found)
    copies: dict[int, Copy] = {}
    for one in state.followings:
        _load_following(engine, one, leads[one.lead_uid], tracks, copies)
    for number in sorted(copies):
        copies[number].know()
    for uid, echoes in state.echoes:
        books.echoes[uid] = [_echo(leads[uid], tracks[echo.track], echo) for echo in echoes]
    for number in state.behind:
        copy = copies[number]
        books.behind.put(copy, max(IN_LINE, copy.again))


def _lead_record(lead: Lead) -> LeadRecord:
    return LeadRecord(
        lead.account.uid,
        lead.asset,
        lead.active,
        lead.share_ppm,
        lead.third_uid,
        lead.third_ppm,
        lead.symbols,
        [_track_record(lead, track) for track in lead.tracks.values()],
        list(lead.counted),
    )


def _lead(engine: Engine, record: LeadRecord) -> Lead:
    lead = Lead(engine.holding(record.uid), record.asset)
    lead.account.copies = True
    lead.active = record.active
    lead.share_ppm = record.share_ppm
    lead.third_uid = record.third_uid
    lead.third_ppm = record.third_ppm
    lead.symbols = record.symbols
    lead.counted = dict.fromkeys(record.counted, True)
    return lead


def _track_record(lead: Lead, track: Track) -> TrackRecord:
    return TrackRecord(
        lead.account.uid,
        track.number,
        track.perp.symbol,
        track.side,
        track.quantity,
        track.order_id,
        track.first_order_id,
        track.followers,
    )


def _track(engine: Engine, record: TrackRecord) -> Track:
    perp = engine.contracts.markets[record.symbol]
    position = perp.positions.get(record.number)
    track = Track(record.number, perp, record.side, position)
    track.quantity = record.quantity
    track.order_id = record.order_id
    track.first_order_id = record.first_order_id
    track.followers = record.followers
    return track


def _following_record(following: Following) -> FollowingRecord:
    return FollowingRecord(
        following.number,
        following.account.uid,
        following.lead.account.uid,
        following.active,
        following.unified,
        following.configs,
        following.share_ppm,
        following.net,
        following.high,
        following.prepaid,
        following.today,
        following.created,
        [
            CopyRecord(copy.number, copy.track.number, _position_id(copy), _sums(copy))
            for copy in following.copies.values()
        ],
    )


def _position_id(copy: Copy) -> int:
    return copy.tracked.position.position_id


def _load_following(
    engine: Engine,
    record: FollowingRecord,
    lead: Lead,
    tracks: dict[int, Track],
    copies: dict[int, Copy],
) -> None:
    """Create a pair with its copies, which are not registered yet."""
    books = engine.copying.books
    holding = engine.holding(record.uid)
    holding.account.copies = True
    following = Following(record.number, holding, lead, record.created)
    following.active = record.active
    following.unified = record.unified
    following.configs = record.configs
    following.share_ppm = record.share_ppm
    following.net, following.high = record.net, record.high
    following.prepaid, following.today = record.prepaid, record.today
    books.followings[record.number] = following
    trader = books.traders.setdefault(record.uid, Trader())
    trader.followings[record.lead_uid] = following
    if record.active:
        lead.followers.append(record.number)
    for one in record.copies:
        track = tracks[one.track]
        tracked = trader.tracked.get(one.position_id)
        if tracked is None:
            tracked = CopiedPosition(track.perp.positions[one.position_id])
            trader.tracked[one.position_id] = tracked
        copy = copies[one.number] = Copy(one.number, following, track, tracked, 0)
        _load_sums(copy, one.sums)
        following.hold(track, copy.lots, copy.value, copy.fee)


def _sums(copy: Copy) -> list[int]:
    return [
        copy.order_id, copy.leverage, copy.lots, copy.value, copy.fee, copy.due, copy.open_size,
        copy.open_value, copy.open_fee, copy.close_value, copy.close_fee, copy.realized, copy.paid,
        copy.created, copy.updated, copy.tries, copy.again,
    ]  # fmt: skip


def _load_sums(copy: Copy, sums: list[int]) -> None:
    copy.order_id, copy.leverage, copy.lots, copy.value, copy.fee, copy.due = sums[:6]
    copy.open_size, copy.open_value, copy.open_fee = sums[6:9]
    copy.close_value, copy.close_fee, copy.realized, copy.paid = sums[9:13]
    copy.created, copy.updated = sums[13:15]
    copy.tries, copy.again = sums[15:]


def _echo_record(echo: Echo) -> EchoRecord:
    return EchoRecord(echo.track.number, echo.opens, echo.first, _numbers(echo))


def _numbers(echo: Echo) -> list[int]:
    return [
        echo.last, echo.lots, echo.amount, echo.share_ppb, echo.before, echo.after, echo.number,
        echo.copy_no,
    ]  # fmt: skip


def _echo(lead: Lead, track: Track, record: EchoRecord) -> Echo:
    echo = Echo(lead, track, record.numbers[0], opens=record.opens)
    echo.first = record.first
    echo.lots, echo.amount, echo.share_ppb, echo.before, echo.after = record.numbers[1:6]
    echo.number, echo.copy_no = record.numbers[6:]
    return echo
