"""A follower's settings: text to commands, and back."""

from __future__ import annotations

from typing import Any, Final

from venue.api import errors
from venue.api.copying.follower import (
    CustomLeverage,
    SettingsRequest,
    TraceConfig,
    TraceSettings,
)
from venue.api.fields import Money
from venue.core.copying.people import Following
from venue.core.copying.terms import RATIO_MAX_PPM, SLIPPAGE_MAX_PPM, SLIPPAGE_MIN_PPM
from venue.core.instruments import Asset
from venue.core.messages.copy_commands import CopyConfig
from venue.gateway.dispatch.decode import decode, ppm, scale_amount
from venue.gateway.dispatch.shapes import compile_request
from venue.texts import rate_text, short_text
from venue.vocabulary import CopyLeverage, MarginMode

PERCENT_SCALE: Final = 4  # 1 % is 10^4 ppm
PERCENT_MAX: Final = 100
HOLD_LEAST: Final = 10
HOLD_MOST: Final = 100_000
CONFIGS_MAX: Final = 100
MARGIN_MODES: Final = {
    "trader": -1, "cross": int(MarginMode.CROSSED), "isolated": int(MarginMode.ISOLATED),
}  # fmt: skip
MARGIN_NAMES: Final = {mode: name for name, mode in MARGIN_MODES.items()}
LEVERAGES: Final = {kind.name.lower(): int(kind) for kind in CopyLeverage}
LEVERAGE_NAMES: Final = {kind: name for name, kind in LEVERAGES.items()}

_CONFIG = compile_request(TraceConfig)
_CUSTOM = compile_request(CustomLeverage)


def configs(request: SettingsRequest, asset: Asset) -> list[CopyConfig]:
    """Return the configs of a request in atoms and ppm; ApiError for a text without a meaning."""
    unified = request.unified_trace_config
    several: Any = request.symbol_trace_configs
    if request.setting_type == "unified":
        if unified is None:
            raise errors.missing("unifiedTraceConfig")
        if several is not None:
            raise errors.combination("symbolTraceConfigs", "settingType=unified")
        return [_config(unified, asset, unified=True)]
    if several is None:
        raise errors.missing("symbolTraceConfigs")
    if unified is not None:
        raise errors.combination("unifiedTraceConfig", "settingType=per_symbol")
    if len(several) > CONFIGS_MAX:
        raise errors.out_of_range("symbolTraceConfigs", f"at most {CONFIGS_MAX} are allowed")
    return [_config(_decode_config(raw), asset, unified=False) for raw in several]


def _decode_config(raw: Any) -> TraceConfig:
    if not isinstance(raw, dict):
        raise errors.invalid("symbolTraceConfigs", "an element must be an object")
    found: TraceConfig = decode(_CONFIG, raw)
    return found


def _config(config: TraceConfig, asset: Asset, *, unified: bool) -> CopyConfig:
    symbols = config.symbols or []
    if unified and config.symbol is not None:
        symbols, config.symbol = [config.symbol, *symbols], None
    if not unified and config.symbol is None:
        if len(symbols) != 1:
            raise errors.missing("symbol")
        config.symbol, symbols = symbols[0], []
    elif not unified and symbols:
        raise errors.combination("symbols", "symbol")
    by_amount = config.trace_type == "amount"
    given: list[Any] = list(config.custom_leverages or [])
    if len(given) > CONFIGS_MAX:
        raise errors.out_of_range("customLeverages", f"at most {CONFIGS_MAX} are allowed")
    custom = [_custom(item) for item in given]
    return CopyConfig(
        config.symbol or "", by_amount, _value(config.trace_value, asset, by_amount=by_amount),
        _hold(config.max_hold_qty, asset), _ratio(config.stop_profit_ratio, "stopProfitRatio"),
        _ratio(config.stop_loss_ratio, "stopLossRatio"), _slippage(config.slippage_ratio),
        MARGIN_MODES[config.margin_type], LEVERAGES[config.leverage_type],
        config.fixed_long_leverage, config.fixed_short_leverage, custom, symbols,
    )  # fmt: skip


def _custom(raw: Any) -> tuple[str, int, int]:
    if not isinstance(raw, dict):
        raise errors.invalid("customLeverages", "an element must be an object")
    found: CustomLeverage = decode(_CUSTOM, raw)
    return found.symbol, found.long_leverage, found.short_leverage


def _value(text: Money, asset: Asset, *, by_amount: bool) -> int:
    if by_amount:
        return scale_amount(text, asset.scale, "traceValue")
    value = scale_amount(text, PERCENT_SCALE, "traceValue")
    if value > PERCENT_MAX * 10**PERCENT_SCALE:
        raise errors.out_of_range("traceValue", f"allowed: above 0, up to {PERCENT_MAX} per cent")
    return value


def _hold(text: Money, asset: Asset) -> int:
    one = 10**asset.scale
    amount = scale_amount(text, asset.scale, "maxHoldQty")
    if not HOLD_LEAST * one <= amount <= HOLD_MOST * one:
        raise errors.out_of_range("maxHoldQty", f"allowed: {HOLD_LEAST} to {HOLD_MOST}")
    return amount


def _ratio(text: Money, name: str) -> int:
    ratio = ppm(text, name)
    if ratio > RATIO_MAX_PPM:
        raise errors.out_of_range(name, f"allowed: 0 to {rate_text(RATIO_MAX_PPM)}")
    return ratio


def _slippage(text: Money) -> int:
    ratio = ppm(text, "slippageRatio")
    if ratio and not SLIPPAGE_MIN_PPM <= ratio <= SLIPPAGE_MAX_PPM:
        low, high = rate_text(SLIPPAGE_MIN_PPM), rate_text(SLIPPAGE_MAX_PPM)
        raise errors.out_of_range("slippageRatio", f"allowed: 0, or {low} to {high}")
    return ratio


def settings_view(following: Following, asset: Asset) -> list[TraceSettings]:
    """Return a pair's settings, one for each config."""
    return [_view(following, config, asset) for config in following.configs]


def _view(following: Following, config: CopyConfig, asset: Asset) -> TraceSettings:
    scale = asset.scale if config.by_amount else PERCENT_SCALE
    return TraceSettings(
        copy_enable=following.active,
        symbol=config.symbol or None,
        symbols=[config.symbol] if config.symbol else config.symbols,
        product_type=f"{asset.name}-FUTURES",
        setting_mode="unified" if following.unified else "per_symbol",
        trace_type="amount" if config.by_amount else "percent",
        trace_value=short_text(config.value, scale),
        max_hold_size=short_text(config.hold_max, asset.scale),
        margin_type=MARGIN_NAMES[config.margin_mode],
        margin_coin=asset.name,
        leverage_type=LEVERAGE_NAMES[config.leverage_type],
        long_leverage=config.long,
        short_leverage=config.short,
        custom_leverages=[CustomLeverage(*custom) for custom in config.custom],
        take_profit_ratio=rate_text(config.take_profit_ppm),
        stop_loss_ratio=rate_text(config.stop_loss_ppm),
        slippage_ratio=rate_text(config.slippage_ppm),
    )
