"""Lists contracts, changes them, and creates the accounts that they need."""

from __future__ import annotations

from msgspec import structs

from venue.core.book.book import Market
from venue.core.contract.collateral import FEES_NAME, FEES_UID, FUND_NAME, FUND_UID
from venue.core.contract.orders import Contracts
from venue.core.contract.records import Perpetual, Terms
from venue.core.contract.reference.funding import plan
from venue.core.contract.risk.changed_terms import ChangedTerms
from venue.core.contract.safe_terms import (
    breach_of_price,
    breach_of_terms,
    price_highest,
    price_least,
)
from venue.core.instruments import Asset, Contract, contract_fault, grid, unit_atoms
from venue.core.messages.commands import ChangeContract, ListContract
from venue.core.messages.contract_events import ContractChanged, ContractListed
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import Reject


class ContractListing:
    """Contract markets over one ledger."""

    __slots__ = ("contracts", "terms")

    def __init__(self, contracts: Contracts, terms: ChangedTerms) -> None:
        self.contracts = contracts
        self.terms = terms

    def list_contract(self, command: ListContract) -> list[Event]:
        """Open a contract market; the first one brings the fee account and the insurance fund."""
        contract = command.contract
        instrument = contract.instrument
        contracts = self.contracts
        ledger = contracts.ledger
        base = ledger.ordinals.get(instrument.base, -1)
        quote = ledger.ordinals.get(instrument.quote, -1)
        if base < 0 or quote < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        if instrument.symbol in contracts.markets:
            return [Rejected(Reject.SYMBOL_LISTED)]
        reason = contract_fault(contract)
        unit = unit_atoms(instrument, ledger.assets[quote])
        if not reason and not 0 < unit <= AMOUNT_MAX:
            reason = f"tick x step must be 1 to {AMOUNT_MAX} whole atoms of the settle asset"
        reason = reason or _unsafe(contract, unit, ledger.assets[quote])
        if reason:
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, reason)]
        events = self._accounts()
        ordinal = len(contracts.markets)
        market: Market[Terms] = Market(instrument, ordinal, base, quote, 0, unit)
        perp = Perpetual(contract, market, ordinal, command.time)
        plan(perp)
        contracts.markets[instrument.symbol] = perp
        contracts.follow_books()
        return [*events, ContractListed(contract)]

    def change_contract(self, command: ChangeContract) -> list[Event]:
        """Replace limits, tiers, fees and price rules, and start to check what is open against
        them."""
        contract = command.contract
        refused = change_refused(self.contracts, contract)
        if refused is not None:
            return [refused]
        perp = self.contracts.markets[contract.instrument.symbol]
        times = perp.contract.funding_minutes
        events = self.terms.begin(perp, contract, command.time)
        if contract.funding_minutes != times:
            perp.last_due = max(perp.last_due, command.time)  # times that have passed are not due
        plan(perp)
        for name in [name for name in perp.sources if name not in contract.index_sources]:
            del perp.sources[name]
        self.contracts.follow_books()
        return [ContractChanged(contract), *events]

    def _accounts(self) -> list[Event]:
        collateral = self.contracts.collateral
        if collateral.fees:
            return []
        ledger = self.contracts.ledger
        collateral.fees = collateral.holding_of(ledger.open(FEES_UID, FEES_NAME)).crosses
        collateral.fund = collateral.holding_of(ledger.open(FUND_UID, FUND_NAME)).crosses
        return [OwnerCreated(FEES_UID, FEES_NAME), OwnerCreated(FUND_UID, FUND_NAME)]


def change_refused(contracts: Contracts, contract: Contract) -> Rejected | None:
    """Return the refusal of new terms: the symbol is unknown, its grid would change, it is
    delisted, another change is under way, or the terms are unsafe. None: they may be set."""
    perp = contracts.markets.get(contract.instrument.symbol)
    if perp is None:
        return Rejected(Reject.SYMBOL_UNKNOWN)
    reason = contract_fault(contract)
    if not reason and grid(contract.instrument) != grid(perp.contract.instrument):
        reason = "the grid and the assets of a listed contract stay"
    # Its sources may always be others: an index can be held in any contract.
    if structs.replace(contract, index_sources=perp.contract.index_sources) != perp.contract:
        if not reason and perp.delisted is not None:
            reason = "the contract is delisted: its terms stay"
        if not reason and perp.change is not None:
            reason = "the change before is still under way: try again"
        settle = contracts.ledger.assets[perp.asset]
        reason = reason or _unsafe(contract, perp.unit, settle) or _worse(contract, perp, settle)
    return Rejected(Reject.INSTRUMENT_INVALID, 0, reason) if reason else None


def _unsafe(contract: Contract, unit: int, settle: Asset) -> str:
    """Return why no contract may have these terms; empty when they are safe."""
    breach = breach_of_terms(contract, unit, settle.scale)
    return "" if breach is None else f"{breach.field}: {breach.inequality()}"


def _worse(contract: Contract, perp: Perpetual, settle: Asset) -> str:
    """Return why new terms do not fit a contract's mark; None when they fit it, or no worse than
    the old ones."""
    breach = breach_of_price(contract, perp.mark, perp.unit, settle.scale)
    if breach is None:
        return ""
    if perp.mark < price_least(contract):
        better = price_least(contract) <= perp.price_least
    else:
        better = price_highest(contract, perp.unit) >= perp.price_highest
    if better:
        return ""
    return f"{breach.field}: {breach.inequality()}"
