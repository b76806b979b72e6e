"""Learning environments over the venue's own engine: the extra `gym`.

Importing it makes the ids of `IDS` known to `gymnasium.make`.
"""

from venue.gym.execution import Execution
from venue.gym.live import RestSeat
from venue.gym.market_making import MarketMaking
from venue.gym.parallel import MakersParallel, parallel_env
from venue.gym.perpetual import PerpetualTrader
from venue.gym.registered import IDS, register

__all__ = [
    "IDS",
    "Execution",
    "MakersParallel",
    "MarketMaking",
    "PerpetualTrader",
    "RestSeat",
    "parallel_env",
    "register",
]

register()
