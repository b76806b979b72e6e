"""The founding of a venue: its first owners, markets and money, demo keys, and chosen settings."""

from __future__ import annotations

from typing import Final

from venue.core.engine import Engine
from venue.core.messages.commands import ChangeSetting, Command
from venue.core.units import FIRST_UID
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.keys import KeyCredentials
from venue.gateway.door import Door
from venue.lab import demo
from venue.node.clock_modes import SETTING, ClockMode
from venue.node.node import Node

PRACTICE: Final = "practice"  # a setting: a real venue has it as "false" from its first command on


class OtherKind(Exception):
    """A practice venue's file would be run as a real venue, or the other way round."""


def check_kind(engine: Engine, file: str, *, practice: bool) -> None:
    """OtherKind when the commands of a file were begun as a venue of the other kind."""
    if engine.sequence == 0 or practice != (PRACTICE in engine.settings):
        return
    if practice:
        raise OtherKind(
            f"{file} holds a real venue, which `venue serve` runs: on a practice venue agents get"
            " money from nowhere, and its operator moves time"
        )
    raise OtherKind(
        f"{file} holds a practice venue, which `venue dev` runs: its money is virtual. `venue serve"
        " --state` begins a real venue in a file that is not there yet"
    )


async def found_venue(door: Door, seed: int, *, demo_keys: bool, batch_place: bool | None) -> None:
    """A new practice venue's owners, markets and money; the settings that were asked for. Keys
    without an owner end: the venue may have been killed right after a revert that took the owner
    away."""
    node, engine = door.node, door.node.engine
    if engine.sequence == 0:
        # One group: no crash may leave owners without their money.
        first = _practice(node, seed) if node.practice else [ChangeSetting(PRACTICE, "false")]
        await node.submit(first)
    mode = node.clock.setting.text()
    if mode != node.setting(SETTING, ClockMode().text()):
        await node.submit([ChangeSetting(SETTING, mode)])
    if demo_keys:
        add_demo_keys(door)
    if batch_place is not None:
        value = "true" if batch_place else "false"
        for name in ("batchPlace", "contractBatchPlace"):
            if node.setting(name, "false") != value:
                await node.submit([ChangeSetting(name, value)])
    door.keys.withdraw(engine.accounts)
    await door.keys.settle()


def _practice(node: Node, seed: int) -> list[Command]:
    """Return the first commands of a practice venue. A new venue's uids are known."""
    uids = {account.name: FIRST_UID + n for n, account in enumerate(demo.ACCOUNTS)}
    first = demo.genesis() + demo.funding(uids)
    first.append(ChangeSetting("historySeed", str(seed)))
    first.append(ChangeSetting("historyEpoch", str(node.clock.now())))
    return first


def add_demo_keys(door: Door) -> None:
    """Add the demo keys of the owners that there are. Public as they are, they live in memory only
    and come back at every start, unless they were revoked."""
    now = door.node.clock.server_time()
    for account in demo.ACCOUNTS:
        uid = door.node.engine.uids.get(account.name)
        if uid is not None:
            door.keys.add(
                KeyCredentials(account.key, account.secret, demo.PASSPHRASE),
                KeyFacts(account.key, uid, "demo", account.permissions, [], now, None, False),
            )
