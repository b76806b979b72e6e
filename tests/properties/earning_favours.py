"""More tricks a group may try: money sent between its members, shares of fees, copies of each
other, days that end, and states that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from properties.earning_world import CONTRACT_WALLET, FUNDING_WALLET, LOT
from venue.core.messages import benefit_commands as b
from venue.core.messages import commands as c
from venue.core.messages import copy_commands as k
from venue.core.messages.savepoints import KeepState, RevertState
from venue.vocabulary import BUY, LONG, SELL

if TYPE_CHECKING:
    from properties.earning import Gene, Group
    from properties.sums import Owner

SHARES: Final = (0, 100_000, 500_000, 500_000)  # ppm
NEAR: Final = (0, 0, 5, 10, 20, 50, 90, 100, 110)  # hundredths of a percent from the mark
FAR: Final = (0, 5, 300, 600, 900, 900, 950)
LEVERS: Final = (5, 20, 50)
NAMES: Final = ("", "", "once", "twice")


def sends(group: Group, gene: Gene) -> None:
    """Money leaves a contract wallet, goes to another member, perhaps twice under one name, and is
    margin there."""
    _, who, a, n, x, y = gene
    owner, other = group.owner(who), group.owner(who + 1 + y % 3)
    play = group.play
    able = max(1, owner.standing() - owner.held)
    amount = max(1, able // (1, 1, 2, 10)[n % 4])
    play.apply(b.SetAffiliate(owner.uid, f"C{owner.uid}", 0, SHARES[y % len(SHARES)]))
    play.apply(c.Transfer(owner.uid, CONTRACT_WALLET, FUNDING_WALLET, "QQQ", amount))
    command = b.InternalWithdraw(
        owner.uid, other.uid, FUNDING_WALLET, FUNDING_WALLET, "QQQ", amount + n % 7 // 6,
        NAMES[x % len(NAMES)],
    )  # fmt: skip
    for _ in range(1 + a % 2):
        play.apply(b.InternalWithdraw(*(getattr(command, f) for f in command.__struct_fields__)))
    if a % 3:
        play.apply(c.Transfer(other.uid, FUNDING_WALLET, CONTRACT_WALLET, "QQQ", amount))


def shares_fees(group: Group, gene: Gene) -> None:
    """One member invites another, who has a discount too."""
    _, who, a, n, x, y = gene
    owner, other = group.owner(who), group.owner(who + 1 + y % 3)
    play = group.play
    share = SHARES[a % len(SHARES)]
    play.apply(b.SetAffiliate(owner.uid, f"C{owner.uid}", share, share))
    play.apply(b.Invite(other.uid, owner.uid))
    if n % 2:
        play.apply(b.SetDiscount("QQQ", 1 + x % 9 * LOT // 10, 500_000))
        play.apply(b.JoinDiscount(other.uid, y % 4 > 0))
        play.apply(c.Transfer(other.uid, CONTRACT_WALLET, FUNDING_WALLET, "QQQ", x % 9 * LOT // 10))
    group.meets(gene)
    if y % 2:
        play.midnight()


def sees_midnight(group: Group, gene: Gene) -> None:
    """The day ends; the payments it promised are made, and prices are known again after a while."""
    group.play.midnight()
    if gene[2] % 2:
        group.takes_out(gene)


def copies(group: Group, gene: Gene) -> None:
    """One member leads, another follows, with any settings; or stops."""
    _, who, a, n, x, y = gene
    lead, other = group.owner(who), group.owner(who + 1 + y % 3)
    play = group.play
    if a % 4 == 0:
        play.apply(k.StopCopying(other.uid, lead.uid))
        return
    third = group.owner(who + 2).uid if n % 3 == 0 else 0
    third = 0 if third == lead.uid else third
    share = SHARES[x % len(SHARES)]
    play.apply(k.SetLead(lead.uid, "QQQ", True, share, third, 300_000 if third else 0))
    lever = LEVERS[n % len(LEVERS)]
    by_amount = y % 2 == 1
    config = k.CopyConfig(
        "", by_amount, 1 + n * LOT // 50 if by_amount else 1_000_000, 10**12,
        margin_mode=(-1, 0, 1)[x % 3], long=lever, short=lever,
        slippage_ppm=(0, 1_000, 10_000)[a % 3], stop_loss_ppm=(0, 0, 500_000)[n // 3 % 3],
    )  # fmt: skip
    play.apply(k.Follow(other.uid, lead.uid, True, [config]))
    _leads(group, gene, lead, group.owner(who + 2 + y % 3))


def _leads(group: Group, gene: Gene, lead: Owner, friend: Owner) -> None:
    """The lead opens or closes against what a friend rests near the mark; the copies go on."""
    _, _, _, n, x, y = gene
    market = group.market(x // 64)
    position = group.held(lead, n) if y % 5 == 0 else None
    way = LONG if n % 2 else -LONG
    if position is not None:
        market, way = position.market, position.side
    opens = position is None
    side = BUY if (way == LONG) == opens else SELL
    away = NEAR[x % len(NEAR)] * market.mark // 10_000
    price = max(1, market.mark + (away if side == BUY else -away))
    lots = group.size(lead, market, way, price, 7 + 12 * (n % 4))
    lots = lots if position is None else max(1, position.lots // (1 + n % 3))
    rests = group.size(friend, market, -way, price, 0)
    group.order(friend, market, 1 - side, -way if opens else way, rests, price, 0)
    group.order(lead, market, side, way, lots, price, 1, position=position)
    while group.play.engine.pending():
        group.play.apply(c.Proceed())


def comes_back(group: Group, gene: Gene) -> None:
    """A state is kept, or comes back with the money of then."""
    name = ("a", "b")[gene[3] % 2]
    play = group.play
    keeps = gene[2] % 3 == 0 or name not in play.kept
    play.apply(KeepState(name) if keeps else RevertState(name))


def hedges(group: Group, gene: Gene) -> None:
    """Two members hold a long and a short each; one of them rests orders on one side far from the
    mark, which open and close, and the other meets all of them at once."""
    _, who, a, n, x, y = gene
    owner, friend = group.owner(who), group.owner(who + 1 + y % 3)
    market = group.market(x // 64)
    half = group.size(owner, market, LONG, market.mark, 7 + 12 * (n % 4))
    for way, side in ((LONG, BUY), (-LONG, SELL)):
        group.order(friend, market, 1 - side, -way, half, market.mark, 0)
        group.order(owner, market, side, way, half, market.mark, 1)
    side = BUY if a % 2 else SELL
    lots = 0
    for step in range(2 + x % 3):
        away = FAR[(a // 2 + step * (y // 8 % 3)) % len(FAR)] * market.mark // 10_000
        price = market.mark + (away if side == BUY else -away)
        closes = (n // 10 >> step) % 2
        own = [p for p in owner.positions.values() if p.market is market]
        own = [p for p in own if (p.side == LONG) != (side == BUY)]
        if closes and own:
            group.order(owner, market, side, own[0].side, own[0].lots, price, 0, position=own[0])
            lots += own[0].lots
        else:
            way = LONG if side == BUY else -LONG
            size = group.size(owner, market, way, price, (0, 0, 5, 7)[y // 3 % 4] + 12 * (y // 12))
            group.order(owner, market, side, way, size, price, 0)
            lots += size
    way = -LONG if side == BUY else LONG
    group.order(friend, market, 1 - side, way, max(1, lots // (1 + x // 3 % 2)), 0, 1)
