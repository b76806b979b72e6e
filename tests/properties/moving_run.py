"""One run of a moving world: commands are applied and judged; honest people act each second."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from properties.hearing import Wrong
from properties.moving_judge import MovingJudge
from properties.moving_world import (
    BEGIN,
    SECOND,
    UIDS,
    WARM_UP,
    Asset,
    World,
    beginning,
    opening,
    quotes,
)
from properties.service_judge import ServiceJudge
from support.counted import lines_run
from venue.core.engine import Engine
from venue.core.messages import commands as c
from venue.core.messages.commands import Command
from venue.core.messages.events import Event

if TYPE_CHECKING:
    pass

Gene = tuple[str, int, int, int]  # an act and three numbers that it is made of
SLICES_MAX: Final = 500
Plant = Callable[[Engine, Command, bool], None]  # asked before (False) and after each command


class Play:
    """One run in a drawn world; `story` are the commands that were applied. One that `weighs`
    counts the lines of orders."""

    def __init__(
        self,
        world: World,
        plant: Plant | None = None,
        judge: type[MovingJudge | ServiceJudge] = MovingJudge,
        *,
        weighs: bool = False,
    ) -> None:
        self.world = world
        self.plant = plant
        self.weighs = weighs
        self.engine = Engine()
        self.judge: MovingJudge | ServiceJudge = judge(world, self.engine)
        self.time = BEGIN
        self.story: list[Command] = []

    def begin(self) -> bool:
        """Open the venue; False when it refuses the terms."""
        for command in opening(self.world):
            if isinstance(command, c.Deposit):
                for asset in self.world.assets.values():
                    if asset.symbol not in self.engine.contracts.markets:
                        return False
            self.apply(command)
        self.judge.show(self.time)
        for _ in range(WARM_UP):
            self.second({})
        for command in beginning(self.world):
            self.apply(command)
        return True

    def apply(self, command: Command) -> list[Event]:
        """One command and what it leaves to do, judged."""
        events = self._apply(command)
        for _ in range(SLICES_MAX):
            if not self.engine.pending():
                return events
            self._apply(c.Proceed())
        raise Wrong("there is always more to do")

    def _apply(self, command: Command) -> list[Event]:
        command.time = self.time
        self.story.append(command)
        if self.plant is not None:
            self.plant(self.engine, command, False)
        try:
            if self.weighs and isinstance(self.judge, ServiceJudge):
                events, self.judge.lines = weighed(self.engine, command)
            else:
                events = self.engine.apply(command)
        except Exception as error:
            raise Wrong(f"the engine broke: {error!r}") from error
        if self.plant is not None:
            self.plant(self.engine, command, True)
        self.judge.judge(command, events)
        return events

    def second(self, moves: dict[str, int]) -> None:
        """A second passes: true prices move, the maker quotes, the operator posts, a tick comes."""
        self.time += SECOND - self.time % SECOND
        for symbol, asset in self.world.assets.items():
            asset.price = max(asset.price // 2, asset.price + moves.get(symbol, 0), 2)
        self.judge.unsure()
        for asset in self.world.assets.values():
            if not self._stands(asset):
                for command in quotes(asset, self._offered(asset), self._wanted(asset)):
                    self.apply(command)
            for name in [] if asset.silent else asset.posts:
                self.apply(c.PostIndex(asset.symbol, name, asset.price))
        self.judge.show(self.time)
        self.apply(c.Tick())

    def _offered(self, asset: Asset) -> Callable[[int, int], bool]:
        market = self.engine.market(asset.symbol)
        assert market is not None
        return market.book.crosses

    def _wanted(self, asset: Asset) -> Callable[[int, int], bool]:
        book = self.engine.contracts.markets[asset.symbol].market.book
        return book.crosses if isinstance(self.judge, ServiceJudge) else lambda side, price: False

    def _stands(self, asset: Asset) -> bool:
        """Whether the maker's quotes are as they were placed, at today's price."""
        uid = UIDS["maker"]
        if self.engine.holding(uid) is None:
            return False
        found = [
            (o.side, o.price, o.remaining)
            for book in (self.engine.spot_account(uid).orders, self.engine.holding(uid).orders)
            for o in book.values()
            if o.market.symbol == asset.symbol
        ]
        state = (asset.price, asset.pulled, asset.thin, asset.bare, *found)
        if state == asset.quoted:
            return True
        asset.quoted = state
        return False


def weighed(engine: Engine, command: Command) -> tuple[list[Event], int]:
    """The events of a command, and the number of lines of the engine that it runs through: of an
    order, as far as the engine is not compiled."""
    if not isinstance(command, c.PlaceContractOrder):
        return engine.apply(command), 0
    return lines_run(lambda: engine.apply(command))
