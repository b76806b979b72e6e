"""Random commands of gifts, discounts, invitations, fee tiers and internal withdrawals."""

from __future__ import annotations

from random import Random

from support.contract_walk import FIRST_UID, OWNERS, START, UNIT
from venue.core.messages import benefit_commands, commands
from venue.core.messages.benefit_commands import FeeTier
from venue.core.messages.commands import Command


def benefit(random: Random, uid: int) -> Command:
    """One of the commands of rule 9."""
    money = START * UNIT
    kind = random.randrange(10)
    if kind < 2:
        return benefit_commands.ChangeGift(uid, "QQQ", random.choice([1, 2, 5]) * money // 4)
    if kind == 2:
        return benefit_commands.ChangeGift(uid, "QQQ", -random.choice([1, 4, 4_000]) * money // 4)
    if kind == 3:
        return benefit_commands.JoinDiscount(uid, random.random() < 0.8)
    if kind == 4:
        return commands.Deposit(uid, 0, "AAA", 5)
    if kind == 5:
        return benefit_commands.Invite(uid, FIRST_UID + random.randrange(2))
    if kind == 6:
        return commands.Withdraw(uid, 1, "QQQ", random.randrange(1, 2 * money))
    if kind == 7:
        return other_rates(random, uid)
    if kind == 8:
        return commands.Transfer(uid, 1, 0, "QQQ", random.randrange(1, money))
    return benefit_commands.InternalWithdraw(
        FIRST_UID + random.randrange(2), FIRST_UID + random.randrange(OWNERS), 0,
        random.choice([0, 2]), "QQQ", random.randrange(1, money), random.choice(["", "a", "b"]),
    )  # fmt: skip


def other_rates(random: Random, uid: int) -> Command:
    """Other fee tiers, or an owner's own rates."""
    if random.random() < 0.6:
        own = random.choice([(-1, -1), (-1, -1), (0, 300), (0, 0)])
        return commands.SetFees(uid, *own, product=1)
    unit = START * UNIT * 100
    tiers = [FeeTier(unit, 300, 450), FeeTier(5 * unit, 100, 300), FeeTier(20 * unit, 0, 100)]
    return benefit_commands.SetFeeTiers(1, "QQQ", tiers[: random.randrange(4)])
