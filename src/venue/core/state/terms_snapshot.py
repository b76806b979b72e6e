"""Converts former tiers of contracts and changes of terms to records and back; see
`contract_snapshot`."""

from __future__ import annotations

from venue.core.contract.margin import Tiers
from venue.core.contract.records import Perpetual
from venue.core.contract.terms_change import DelistingTerms, TermsChange
from venue.core.instruments import Tier
from venue.core.state.contract_records import TermsRecord


def dump(perp: Perpetual) -> TermsRecord | None:
    """Return the record of a contract; None when all its positions have the present tiers."""
    change = perp.change
    lowest = perp.tiers.rates[0]
    plain = perp.least_ppm == lowest and perp.leverage_most == perp.contract.leverage_max
    if change is None and not perp.former and plain:
        return None
    return TermsRecord(
        _former_tiers(perp),
        list(perp.former),
        perp.least_ppm,
        []
        if change is None
        else [change.default, change.next, change.ended, change.owners, change.kept],
        perp.former_end,
        perp.leverage_most,
    )


def places(perps: dict[str, Perpetual]) -> dict[int, int]:
    """Return the numbers of positions' tiers among the former ones of their contracts, from 1, by
    position id. Positions with the present tiers are left out."""
    found: dict[int, int] = {}
    for perp in perps.values():
        if perp.former or perp.change is not None:
            former = _former_tiers(perp)
            for position in perp.positions.values():
                if position.tiers is not perp.tiers:
                    found[position.position_id] = 1 + former.index(position.tiers.listed)
    return found


def load(perp: Perpetual, record: TermsRecord | None, places: dict[int, int]) -> None:
    """Load a record into a contract whose positions are loaded; `places` are by position id."""
    if record is None:
        return
    former = [Tiers(listed) for listed in record.tiers]
    for position in perp.positions.values():
        number = places.get(position.position_id, 0)
        if number:
            position.tiers = former[number - 1]
    perp.former = {number: perp.positions[number] for number in record.former}
    perp.former_end = record.end
    perp.limit_by_rate(record.least_ppm)
    perp.leverage_most = record.leverage_most
    if record.change:
        default, *numbers = record.change
        perp.change = change = TermsChange(default)
        change.next, change.ended, change.owners, change.kept = numbers


def load_delisting(numbers: list[int]) -> DelistingTerms | None:
    """Return the end of a contract from its stored numbers; None when it has none."""
    if not numbers:
        return None
    found = DelistingTerms()
    found.price, found.long, found.short, found.lots, done = numbers
    found.done = done > 0
    return found


def _former_tiers(perp: Perpetual) -> list[list[Tier]]:
    """Return the tiers that positions keep and the contract no longer has, the oldest position's
    first."""
    found: list[list[Tier]] = []
    for position in perp.positions.values():
        if position.tiers is not perp.tiers and position.tiers.listed not in found:
            found.append(position.tiers.listed)
    return found
