"""Checks the conditions for leading and following, and the bounds of their terms (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.contract.records import Perpetual
from venue.core.copying.people import (
    CONFIGS_MAX,
    FOLLOWERS_MAX,
    FOLLOWS_MAX,
    Following,
    Lead,
    Trader,
)
from venue.core.copying.shares import COMMISSION_NAME, COMMISSION_UID
from venue.core.messages.copy_commands import CopyConfig, Follow, SetLead
from venue.core.messages.events import Rejected
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import CopyLeverage, MarginMode, Reject

SHARE_MAX_PPM: Final = 500_000
RATIO_MAX_PPM: Final = 4_000_000
SLIPPAGE_MIN_PPM: Final = 1_000
SLIPPAGE_MAX_PPM: Final = 10_000


def lead_refused(contracts: Contracts, command: SetLead, trader: Trader | None) -> Rejected | None:
    """Return why an owner may not lead on these terms; `trader` is its role in copy trading so
    far."""
    ledger = contracts.ledger
    asset = ledger.ordinals.get(command.asset, -1)
    if command.uid not in ledger.accounts:
        return Rejected(Reject.OWNER_UNKNOWN)
    if command.uid <= COMMISSION_UID:
        return Rejected(Reject.OWNER_RESERVED)
    if COMMISSION_UID not in ledger.accounts and COMMISSION_NAME in ledger.names:
        return Rejected(Reject.OWNER_NAME_USED, ledger.names[COMMISSION_NAME])
    if asset < 0:
        return Rejected(Reject.ASSET_UNKNOWN)
    if trader is not None and trader.lead is None and (trader.followings or trader.tracked):
        return Rejected(Reject.FOLLOW_CHAIN)
    if trader is not None and trader.lead is not None and trader.lead.asset != asset:
        return Rejected(Reject.LEAD_ASSET)
    for ppm, most in ((command.share_ppm, SHARE_MAX_PPM), (command.third_ppm, PPM)):
        assert type(ppm) is int, command
        if not 0 <= ppm <= most:
            return Rejected(Reject.FEE_RATE, most)
    third = command.third_uid
    known = not third or (third in ledger.accounts and third > COMMISSION_UID)
    if not known or third == command.uid:
        return Rejected(Reject.THIRD_PARTY)
    for symbol in command.symbols:
        if _perp(contracts, symbol, asset) is None:
            return Rejected(Reject.SYMBOL_UNKNOWN, 0, symbol)
    return None


def lead_to_follow(
    contracts: Contracts, command: Follow, trader: Trader | None, lead: Lead | None
) -> Lead | Rejected:
    """Return the lead, if an owner may follow it on these terms. A lead does not follow, and a
    follower does not lead, so there are no chains and no circles."""
    account = contracts.ledger.accounts.get(command.uid)
    if account is None or command.uid <= COMMISSION_UID:
        return Rejected(Reject.OWNER_UNKNOWN)
    if command.uid == command.lead_uid:
        return Rejected(Reject.FOLLOW_SELF)
    if lead is None:
        return Rejected(Reject.LEAD_UNKNOWN)
    if trader is not None and trader.lead is not None:
        return Rejected(Reject.FOLLOW_CHAIN)
    following = None if trader is None else trader.followings.get(command.lead_uid)
    if following is None or not following.active:
        refused = _new_refused(lead, trader)
        if refused is not None:
            return refused
    refused = configs_refused(contracts, command, lead)
    return lead if refused is None else refused


def _new_refused(lead: Lead, trader: Trader | None) -> Rejected | None:
    """Return the refusal of one more pair: the lead is closed, or one of the two is full; or
    None."""
    if not lead.active:
        return Rejected(Reject.LEAD_CLOSED)
    if len(lead.followers) >= FOLLOWERS_MAX:
        return Rejected(Reject.LEAD_FULL, FOLLOWERS_MAX)
    if trader is not None:
        active = sum([following.active for following in trader.followings.values()])
        if active >= FOLLOWS_MAX:
            return Rejected(Reject.FOLLOWS_MAX, FOLLOWS_MAX)
    return None


def configs_refused(contracts: Contracts, command: Follow, lead: Lead) -> Rejected | None:
    """Return the first setting that makes copying impossible."""
    configs = command.configs
    if not 0 < len(configs) <= CONFIGS_MAX or (command.unified and len(configs) != 1):
        return Rejected(Reject.COPY_SETTINGS, CONFIGS_MAX, "settings")
    seen: dict[str, None] = {}
    for config in configs:
        if (not config.symbol) != command.unified or config.symbol in seen:
            return Rejected(Reject.COPY_SETTINGS, 0, "symbol")
        seen[config.symbol] = None
        if len(config.symbols) > CONFIGS_MAX or len(config.custom) > CONFIGS_MAX:
            return Rejected(Reject.COPY_SETTINGS, CONFIGS_MAX, "customLeverages")
        wanted = [config.symbol] if config.symbol else config.symbols
        for symbol in wanted:
            if _perp(contracts, symbol, lead.asset) is None:
                return Rejected(Reject.SYMBOL_UNKNOWN, 0, symbol)
        refused = _config_refused(contracts, config, lead)
        if refused is not None:
            return refused
    return None


def _config_refused(contracts: Contracts, config: CopyConfig, lead: Lead) -> Rejected | None:
    most = AMOUNT_MAX if config.by_amount else PPM
    if not 0 < config.value <= most:
        return Rejected(Reject.COPY_SETTINGS, most, "traceValue")
    if not 0 < config.hold_max <= AMOUNT_MAX:
        return Rejected(Reject.COPY_SETTINGS, AMOUNT_MAX, "maxHoldQty")
    for name, ratio in (
        ("stopProfitRatio", config.take_profit_ppm), ("stopLossRatio", config.stop_loss_ppm),
    ):  # fmt: skip
        if not 0 <= ratio <= RATIO_MAX_PPM:
            return Rejected(Reject.COPY_SETTINGS, RATIO_MAX_PPM, name)
    slippage = config.slippage_ppm
    if slippage and not SLIPPAGE_MIN_PPM <= slippage <= SLIPPAGE_MAX_PPM:
        return Rejected(Reject.COPY_SETTINGS, SLIPPAGE_MAX_PPM, "slippageRatio")
    assert config.margin_mode < 0 or MarginMode(config.margin_mode) is not None, config
    assert CopyLeverage(config.leverage_type) is not None, config
    chosen = [("", config.long, config.short), *config.custom]
    for symbol, long, short in chosen:
        perp = _perp(contracts, symbol or config.symbol, lead.asset)
        if perp is None and (symbol or config.symbol):
            return Rejected(Reject.SYMBOL_UNKNOWN, 0, symbol or config.symbol)
        most = PPM if perp is None else perp.contract.leverage_max
        if not (0 < long <= most and 0 < short <= most):
            return Rejected(Reject.LEVERAGE, most)
    return None


def _perp(contracts: Contracts, symbol: str, asset: int) -> Perpetual | None:
    """Return a contract that settles in the lead's asset; None when there is none."""
    perp = contracts.markets.get(symbol)
    return perp if perp is not None and perp.asset == asset else None


def idle(following: Following) -> bool:
    """Return whether a pair is over: nothing is copied, held, to be earned back, or due and
    unpaid."""
    gain = following.net - following.high
    return (
        not following.active
        and not following.copies
        and gain >= 0
        and gain * following.share_ppm < PPM
        and not following.prepaid
        and not following.today
    )
