"""Lists assets and instruments, halts markets, and stores settings."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Market
from venue.core.contract.orders import Contracts
from venue.core.contract.records import Terms
from venue.core.instruments import Asset, fault, grid, lot_atoms, unit_atoms
from venue.core.ledger.ledger import Ledger
from venue.core.messages.commands import (
    ChangeInstrument,
    ChangeSetting,
    HaltInstrument,
    ListInstrument,
    RegisterAsset,
)
from venue.core.messages.events import (
    AssetRegistered,
    Event,
    InstrumentChanged,
    InstrumentHalted,
    InstrumentListed,
    Rejected,
    SettingChanged,
)
from venue.core.spot.account import SpotMarket
from venue.core.spot.orders import Spot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import Product, Reject

SCALE_MAX: Final = 18


class Listing:
    """Assets and markets over one ledger; settings are named texts."""

    __slots__ = ("contracts", "ledger", "settings", "spot")

    def __init__(self, ledger: Ledger, spot: Spot, contracts: Contracts) -> None:
        self.contracts = contracts
        self.ledger = ledger
        self.spot = spot
        self.settings: dict[str, str] = {}

    def register(self, command: RegisterAsset) -> list[Event]:
        if command.asset in self.ledger.ordinals:
            return [Rejected(Reject.ASSET_LISTED)]
        if not 0 <= command.scale <= SCALE_MAX:
            return [Rejected(Reject.AMOUNT, SCALE_MAX)]
        asset = Asset(command.asset, len(self.ledger.assets) + 1, command.scale)
        self.ledger.register(asset)
        self.contracts.collateral.add_asset()
        return [AssetRegistered(asset)]

    def list_instrument(self, command: ListInstrument) -> list[Event]:
        instrument = command.instrument
        ledger = self.ledger
        base = ledger.ordinals.get(instrument.base, -1)
        quote = ledger.ordinals.get(instrument.quote, -1)
        if base < 0 or quote < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        if instrument.symbol in self.spot.markets:
            return [Rejected(Reject.SYMBOL_LISTED)]
        reason = fault(instrument)
        lot = lot_atoms(instrument, ledger.assets[base])
        unit = unit_atoms(instrument, ledger.assets[quote])
        if not reason and (lot == 0 or unit == 0):
            reason = "tick x step and step must be whole numbers of quote and base atoms"
        if not reason and max(lot, unit) > AMOUNT_MAX:
            reason = f"tick x step and step must be at most {AMOUNT_MAX} quote and base atoms"
        if reason:
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, reason)]
        ordinal = len(self.spot.markets)
        self.spot.open(Market(instrument, ordinal, base, quote, lot, unit))
        self.contracts.follow_books()
        return [InstrumentListed(instrument)]

    def change_instrument(self, command: ChangeInstrument) -> list[Event]:
        instrument = command.instrument
        market = self.spot.markets.get(instrument.symbol)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        reason = fault(instrument)
        if not reason and grid(instrument) != grid(market.instrument):
            reason = "the grid and the assets of a listed instrument stay"
        if reason:
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, reason)]
        market.configure(instrument)
        return [InstrumentChanged(instrument)]

    def halt(self, command: HaltInstrument) -> list[Event]:
        market = self._market(command)
        if market is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        perp = self.contracts.markets.get(command.symbol)
        if perp is not None and perp.market is market and perp.settles():
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, "the contract is settled: it stays")]
        market.halted = command.halted
        market.halt_reason = command.reason if command.halted else ""
        return [
            InstrumentHalted(command.symbol, command.halted, market.halt_reason, command.product)
        ]

    def _market(self, command: HaltInstrument) -> SpotMarket | Market[Terms] | None:
        if command.product == Product.SPOT:
            return self.spot.markets.get(command.symbol)
        perp = self.contracts.markets.get(command.symbol)
        return perp.market if perp is not None else None

    def change_setting(self, command: ChangeSetting) -> list[Event]:
        self.settings[command.name] = command.value
        return [SettingChanged(command.name, command.value)]
