"""The rows of copy trading with the handlers that answer them."""

from __future__ import annotations

from venue.api.copying import follower as follower_rows
from venue.api.copying import trader as trader_rows
from venue.gateway.dispatch.routes import Route, bind
from venue.gateway.operations.copying import follower, trader


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [
        bind(follower_rows.open_copies, follower.open_copies),
        bind(follower_rows.copy_settings, follower.copy_settings),
        bind(follower_rows.set_copy_settings, follower.set_copy_settings),
        bind(follower_rows.close_copy, follower.close_copy),
        bind(follower_rows.stop_copying, follower.stop_copying),
        bind(follower_rows.ended_copies, follower.ended_copies),
        bind(follower_rows.my_traders, follower.my_traders),
        bind(trader_rows.open_tracks, trader.open_tracks),
        bind(trader_rows.ended_tracks, trader.ended_tracks),
        bind(trader_rows.copied_pairs, trader.copied_pairs),
    ]
