"""Runs a scenario: its steps in order, against a venue whose time stands still until a step moves
it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from msgspec import Struct

from venue.api.documents.table import BY_NAME
from venue.api.operation import Row
from venue.lab import demo
from venue.lab.credentials import Credentials
from venue.scenario.asking import StepRequest, ask
from venue.scenario.expectation import OK_BELOW, StepAnswer, shortfalls
from venue.scenario.file import Scenario, Step
from venue.scenario.paths import Missing, filled
from venue.times import US_PER_MS, span_us

PERMISSIONS: Final = ("READ", "SPOT_TRADE", "CONTRACT_TRADE")
SOURCE: Final = "scenario"  # the index source of a contract whose price a trigger has set
POSTED_US: Final = span_us("5s")  # such a price is posted again: it gets stale after ten seconds
STAMPS: Final = 20_000  # ms: a signature is good for 30 s, and two with one stamp are one request


class Outcome(Struct, frozen=True):
    """The result of a step: `at` is µs since the start; without problems it went as expected."""

    step: str
    at: int
    said: str
    status: int
    problems: list[str]


class ScenarioFailed(Exception):
    """The venue refused something that a scenario needs to continue; has the venue's message."""


class Runner:
    """One run of a scenario against the venue at `url`, in manual time."""

    def __init__(self, scenario: Scenario, url: str) -> None:
        self._scenario = scenario
        self._url = url
        self._now = scenario.clock
        self._sent = 0
        self._keys: dict[str, Credentials] = {}
        self._answers: dict[str, Any] = {}
        self._again: list[tuple[int, Step]] = []  # when a step comes next
        self._posted: dict[str, str] = {}  # prices of indexes that are kept current
        self._post_at = 0

    def run(self) -> Iterator[Outcome]:
        """Yield the outcomes as they come. ScenarioFailed: the venue is gone, or refuses something
        that the run needs."""
        self._create_owners()
        for step in self._scenario.steps:
            if step.at is not None:
                yield from self._move(self._scenario.clock + step.at)
            yield self._do(step)
            if step.every:
                self._again.append((self._now + step.every, step))
        while self._again:
            yield from self._move(min(at for at, _ in self._again))

    def _create_owners(self) -> None:
        """Create the owners that the file names, with their keys and their money."""
        for account in demo.ACCOUNTS:
            self._keys[account.name] = Credentials(
                self._url, account.key, account.secret, demo.PASSPHRASE
            )
        for name, money in self._scenario.accounts.items():
            if name not in self._keys:
                self._needed("create_owner", {"name": name})
                made = self._needed("create_key", {"owner": name, "permissions": PERMISSIONS})
                self._keys[name] = Credentials(
                    self._url, made["key"], made["secret"], made["passphrase"]
                )
            for wallet, asset, amount in money:
                given = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
                self._needed("deposit", given)

    # -- time -------------------------------------------------------------------------------------

    def _move(self, until: int) -> Iterator[Outcome]:
        """Advance venue time to `until`; do repeated steps on the way at their times."""
        while True:
            due = [at for at, _ in self._again] + ([self._post_at] if self._posted else [])
            at = min([until, *due])
            if at > self._now:
                self._needed("advance_clock", {"to": str(at // US_PER_MS)})
                self._now = at
            if self._posted and self._post_at <= at:
                self._post()
            coming = [entry for entry in self._again if entry[0] <= at]
            self._again = [entry for entry in self._again if entry[0] > at]
            for _, step in coming:
                outcome = self._do(step)
                if outcome.problems:
                    yield outcome
                if at + step.every <= self._scenario.clock + step.until:
                    self._again.append((at + step.every, step))
            if at >= until:
                return

    def _post(self) -> None:
        self._post_at = self._now + POSTED_US
        for symbol, price in self._posted.items():
            self._needed("post_index", {"symbol": symbol, "source": SOURCE, "price": price})

    # -- steps ------------------------------------------------------------------------------------

    def _do(self, step: Step) -> Outcome:
        try:
            values = filled(step.values, self._answers)
            expected = filled(step.expected, self._answers)
        except Missing as problem:
            return self._outcome(step, StepAnswer(0, ""), [str(problem)])
        if step.row is None:
            pull = self._funding if step.trigger == "funding" else self._index_jump
            told = pull(values)
        else:
            told = self._sent_by(step.row, values, step.owner)
        if step.id:
            self._answers[step.id] = told.body
        return self._outcome(step, told, shortfalls(expected, told))

    def _outcome(self, step: Step, told: StepAnswer, problems: list[str]) -> Outcome:
        said = step.trigger if step.row is None else step.row.name
        by = f"{step.owner}: " if step.owner else ""
        return Outcome(
            step.name, self._now - self._scenario.clock, by + said, told.status, problems
        )

    def _funding(self, values: dict[str, Any]) -> StepAnswer:
        """Advance time to the next funding."""
        told = self._sent_by(BY_NAME["advance_clock"], {"to_next": "funding", "dry_run": True}, "")
        if told.status >= OK_BELOW or told.status == 0:
            return told
        for outcome in self._move(told.body["to"] * US_PER_MS):
            raise ScenarioFailed(f"{outcome.step}: {'; '.join(outcome.problems)}")
        query = {"symbol": values["symbol"]} if "symbol" in values else {"symbol": "BTCUSDT"}
        return self._sent_by(BY_NAME["funding_rates"], query, "")

    def _index_jump(self, values: dict[str, Any]) -> StepAnswer:
        """Set the index of a contract to another price at once, and keep it there."""
        told = self._sent_by(BY_NAME["contracts"], {}, "")
        if told.status != 200:
            return told
        symbol = values["symbol"]
        view = next((one for one in told.body if one["symbol"] == symbol), None)
        if view is None:
            return StepAnswer(400, {"msg": f"there is no contract {symbol}"})
        try:
            price = _jumped(view, values)
        except ArithmeticError:
            return StepAnswer(400, {"msg": f"percent and price must be decimals: {values}"})
        if symbol not in self._posted:
            change = {"symbol": symbol, "indexSources": [SOURCE]}
            told = self._sent_by(BY_NAME["change_contract"], change, "")
            if told.status != 200:
                return told
        body = {"symbol": symbol, "source": SOURCE, "price": price, "jump": True}
        told = self._sent_by(BY_NAME["post_index"], body, "")
        if told.status == 200:
            self._posted[symbol] = price
            self._post_at = self._now + POSTED_US
        return told

    def _sent_by(self, row: Row, values: dict[str, Any], owner: str) -> StepAnswer:
        self._sent += 1
        stamp = self._now // US_PER_MS + self._sent % STAMPS
        return ask(self._url, StepRequest(row, values, self._keys.get(owner), stamp))

    def _needed(self, name: str, values: dict[str, Any]) -> Any:
        """Return the answer to an operator's operation. ScenarioFailed: it is refused, or has
        none."""
        told = self._sent_by(BY_NAME[name], values, "")
        if told.status == 0 or told.status >= OK_BELOW:
            words = told.body.get("msg", told.body) if isinstance(told.body, dict) else told.body
            raise ScenarioFailed(f"{name}: {words}")
        return told.body


def _jumped(view: dict[str, Any], values: dict[str, Any]) -> str:
    """Return the price of an index jump, on the contract's grid. ArithmeticError: it is no
    number."""
    tick = Decimal(view["tickSize"])
    if "price" in values:
        price = Decimal(values["price"])
    else:
        price = Decimal(view["indexPrice"]) * (1 + Decimal(values["percent"]) / 100)
    return str((price / tick).quantize(Decimal(1), ROUND_HALF_EVEN) * tick)
