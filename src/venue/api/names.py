"""The interface's names of the vocabulary's members."""

from __future__ import annotations

from typing import Final

from venue.vocabulary import (
    AlgoStatus,
    AlgoType,
    MarginMode,
    OrderStatus,
    OrderType,
    PositionSide,
    PriceSource,
    SeparatedMode,
    Side,
    TimeInForce,
    Wallet,
)

SIDES: Final = {side.name: int(side) for side in Side}
TYPES: Final = {kind.name: int(kind) for kind in OrderType}
TIMES_IN_FORCE: Final = {tif.name: int(tif) for tif in TimeInForce}
WALLETS: Final = {wallet.name: int(wallet) for wallet in Wallet}
POSITION_SIDES: Final = {side.name: int(side) for side in PositionSide}
SOURCES: Final = {source.name: int(source) for source in PriceSource}
ALGO_TYPES: Final = {kind.name: int(kind) for kind in AlgoType}
SIDE_NAMES: Final = [side.name for side in Side]
TYPE_NAMES: Final = [kind.name for kind in OrderType]
TIME_IN_FORCE_NAMES: Final = [tif.name for tif in TimeInForce]
STATUS_NAMES: Final = [status.name for status in OrderStatus]
WALLET_NAMES: Final = [wallet.name for wallet in Wallet]
POSITION_SIDE_NAMES: Final = {int(side): side.name for side in PositionSide}
MARGIN_MODE_NAMES: Final = [mode.name for mode in MarginMode]
SEPARATED_MODE_NAMES: Final = [mode.name for mode in SeparatedMode]
SOURCE_NAMES: Final = [source.name for source in PriceSource]
NO_SOURCE: Final = "UNKNOWN_PRICE_TYPE"  # of an order that had no trigger
ALGO_TYPE_NAMES: Final = [kind.name for kind in AlgoType]
ALGO_STATUS_NAMES: Final = [status.name for status in AlgoStatus]
API_CLOSED: Final = "apiClosed"  # the setting: contracts that take no orders over the interface
