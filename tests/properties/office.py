"""The operator's side of the slow model: owners, money from outside, assets, instruments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from venue.core.instruments import Asset, Instrument
from venue.core.messages import commands, events
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event
from venue.vocabulary import Reject

FIRST_ID = 10**15
FIRST_UID = 10_000_001
GREATEST_AMOUNT = 2**62
SPOT = 0
CONTRACT = 1
MILLION = 10**6

Faults = dict[Reject, int]  # reasons, each with the limit that was broken


class Office:
    """The owners, the listings, and all money: `free` by owner, wallet and asset, `held` (the
    spot wallet's) by owner and asset."""

    def __init__(self) -> None:
        self.owners: dict[int, dict[str, Any]] = {}
        self.assets: dict[str, Asset] = {}
        self.instruments: dict[str, Instrument] = {}
        self.halted: dict[str, str | None] = {}
        self.settings: dict[str, str] = {}
        self.free: dict[tuple[int, int, str], int] = {}
        self.held: dict[tuple[int, str], int] = {}
        self.fees: dict[str, int] = {}
        self.outside: dict[str, int] = {}
        self.counts = {"order": 0, "trade": 0, "bill": 0, "transfer": 0}
        self.rules: dict[type, Callable[[Any], list[Event]]] = {
            commands.CreateOwner: self.create_owner,
            commands.FreezeOwner: self.freeze,
            commands.SetFees: self.set_fees,
            commands.Deposit: self.deposit,
            commands.Withdraw: self.withdraw,
            commands.Transfer: self.transfer,
            commands.RegisterAsset: self.register,
            commands.ListInstrument: self.list_instrument,
            commands.ChangeInstrument: self.change_instrument,
            commands.HaltInstrument: self.halt,
            commands.ChangeSetting: self.change_setting,
        }

    def number(self, counter: str, by: int = 1) -> int:
        given = FIRST_ID + self.counts[counter]
        self.counts[counter] += by
        return given

    def total(self, uid: int, asset: str) -> int:
        return self.free.get((uid, SPOT, asset), 0) + self.held.get((uid, asset), 0)

    # -- owners ----------------------------------------------------------------------------------

    def create_owner(self, command: commands.CreateOwner) -> list[Event]:
        for uid, owner in self.owners.items():
            if owner["name"] == command.name:
                return refuse({Reject.OWNER_NAME_USED: uid})
        uid = FIRST_UID + len(self.owners)
        self.owners[uid] = {
            "name": command.name,
            "self_trade": command.self_trade,
            "frozen": False,
            "tier": (-1, -1),
        }
        return [events.OwnerCreated(uid, command.name)]

    def freeze(self, command: commands.FreezeOwner) -> list[Event]:
        if command.uid not in self.owners:
            return refuse({Reject.OWNER_UNKNOWN: 0})
        self.owners[command.uid]["frozen"] = command.frozen
        return [events.OwnerFrozen(command.uid, command.frozen)]

    def set_fees(self, command: commands.SetFees) -> list[Event]:
        if command.uid not in self.owners:
            return refuse({Reject.OWNER_UNKNOWN: 0})
        tier = (command.maker_ppm, command.taker_ppm)
        if tier != (-1, -1) and any(rate not in range(MILLION) for rate in tier):
            return refuse({Reject.FEE_RATE: MILLION - 1})
        self.owners[command.uid]["tier"] = tier
        return [events.FeesSet(command.uid, *tier)]

    def money_faults(self, uid: int, asset: str, amount: int, *, out: bool) -> Faults:
        """The faults that deposits, withdrawals and transfers share."""
        if uid not in self.owners:
            return {Reject.OWNER_UNKNOWN: 0}
        if out and self.owners[uid]["frozen"]:
            return {Reject.ACCOUNT_FROZEN: 0}
        if asset not in self.assets:
            return {Reject.ASSET_UNKNOWN: 0}
        if not 0 < amount <= GREATEST_AMOUNT:
            return {Reject.AMOUNT: GREATEST_AMOUNT}
        return {}

    def deposit(self, command: commands.Deposit) -> list[Event]:
        uid, asset, amount = command.uid, command.asset, command.amount
        faults = self.money_faults(uid, asset, amount, out=False)
        if not faults and self.outside[asset] + amount > GREATEST_AMOUNT:
            faults = {Reject.SUPPLY_MAX: GREATEST_AMOUNT - self.outside[asset]}
        if faults:
            return refuse(faults)
        self.outside[asset] += amount
        return [self.moved(uid, command.wallet, asset, "deposit", amount)]

    def withdraw(self, command: commands.Withdraw) -> list[Event]:
        uid, asset, amount = command.uid, command.asset, command.amount
        faults = self.money_faults(uid, asset, amount, out=True)
        if not faults and self.free.get((uid, command.wallet, asset), 0) < amount:
            faults = {Reject.FUNDS: 0}
        if faults:
            return refuse(faults)
        self.outside[asset] -= amount
        return [self.moved(uid, command.wallet, asset, "withdraw", -amount)]

    def transfer(self, command: commands.Transfer) -> list[Event]:
        uid, asset, amount = command.uid, command.asset, command.amount
        faults = self.money_faults(uid, asset, amount, out=True)
        if not faults and command.source == command.target:
            faults = {Reject.WALLETS_EQUAL: 0}
        if not faults and self.free.get((uid, command.source, asset), 0) < amount:
            faults = {Reject.FUNDS: 0}
        if faults:
            return refuse(faults)
        number = self.number("transfer")
        return [
            events.Transferred(number, uid, asset, command.source, command.target, amount),
            self.moved(uid, command.source, asset, "transfer_out", -amount),
            self.moved(uid, command.target, asset, "transfer_in", amount),
        ]

    def moved(self, uid: int, wallet: int, asset: str, kind: str, amount: int) -> Event:
        key = (uid, wallet, asset)
        self.free[key] = self.free.get(key, 0) + amount
        after = self.total(uid, asset) if wallet == SPOT else self.free[key]
        bill_id = self.number("bill")
        if wallet == CONTRACT:
            reason = "USER_TRANSFER" if "transfer" in kind else "UNKNOWN_TRANSFER_REASON"
            return Income(bill_id, uid, 0, asset, "", kind, amount, after, 0, reason)
        return events.WalletMoved(bill_id, uid, wallet, asset, kind, amount, after)

    # -- listing ---------------------------------------------------------------------------------

    def register(self, command: commands.RegisterAsset) -> list[Event]:
        if command.asset in self.assets:
            return refuse({Reject.ASSET_LISTED: 0})
        asset = Asset(command.asset, len(self.assets) + 1, command.scale)
        self.assets[command.asset] = asset
        self.fees[command.asset] = self.outside[command.asset] = 0
        return [events.AssetRegistered(asset)]

    def list_instrument(self, command: commands.ListInstrument) -> list[Event]:
        listed = command.instrument
        if listed.base not in self.assets or listed.quote not in self.assets:
            return refuse({Reject.ASSET_UNKNOWN: 0})
        if listed.symbol in self.instruments:
            return refuse({Reject.SYMBOL_LISTED: 0})
        self.instruments[listed.symbol] = listed
        self.halted[listed.symbol] = None
        return [events.InstrumentListed(listed)]

    def change_instrument(self, command: commands.ChangeInstrument) -> list[Event]:
        former = self.instruments.get(command.instrument.symbol)
        if former is None:
            return refuse({Reject.SYMBOL_UNKNOWN: 0})
        if (former.tick, former.step) != (command.instrument.tick, command.instrument.step):
            detail = "the grid and the assets of a listed instrument stay"
            return refuse({Reject.INSTRUMENT_INVALID: 0}, detail)
        self.instruments[command.instrument.symbol] = command.instrument
        return [events.InstrumentChanged(command.instrument)]

    def halt(self, command: commands.HaltInstrument) -> list[Event]:
        if command.symbol not in self.instruments:
            return refuse({Reject.SYMBOL_UNKNOWN: 0})
        reason = command.reason if command.halted else ""
        self.halted[command.symbol] = reason if command.halted else None
        return [events.InstrumentHalted(command.symbol, command.halted, reason)]

    def change_setting(self, command: commands.ChangeSetting) -> list[Event]:
        self.settings[command.name] = command.value
        return [events.SettingChanged(command.name, command.value)]


def refuse(faults: Faults, detail: str = "") -> list[Event]:
    """The first fault in the order of `vocabulary.Reject` answers (rule 3.1)."""
    first = min(faults)
    return [events.Rejected(first, faults[first], detail)]
