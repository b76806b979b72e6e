"""The environments' ids, for `gymnasium.make`."""

from __future__ import annotations

from typing import Final

import gymnasium

IDS: Final = {
    "venue/MarketMaking-v0": "venue.gym.market_making:MarketMaking",
    "venue/Execution-v0": "venue.gym.execution:Execution",
    "venue/PerpetualTrader-v0": "venue.gym.perpetual:PerpetualTrader",
}


def register() -> None:
    """Register the ids; already registered ids stay."""
    for name, entry in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=entry)
