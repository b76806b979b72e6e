"""A test's handle of its venue: addresses and accounts, clock, faults and market."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from typing import Any, Final

from venue.api.documents.table import BY_NAME
from venue.client.blocking import Client
from venue.client.errors import Misused
from venue.client.http import wire_values
from venue.client.operator_tokens import OPERATOR_TOKEN
from venue.client.patience import ask_patiently
from venue.lab import demo
from venue.lab.credentials import Credentials, credentials

ANSWER_S: Final = 600.0  # an advance over days takes its time
ENTRIES_MAX: Final = 1_000
_RULE: Final = ("operation", "path", "method", "owner", "key", "symbol", "channel")
_WHEN: Final = ("nth", "first", "every", "after", "probability", "count", "from", "until")


class Clock:
    """The venue's clock, which stands still until a test moves it."""

    def __init__(self, venue: Handle) -> None:
        self._venue = venue

    def now(self) -> int:
        """Venue time in ms."""
        return int(self._venue.operator("clock")["time"])

    def advance(
        self, by: str = "", *, to: str = "", to_next: str = "", sparse: bool = False
    ) -> dict[str, Any]:
        """Advance by a span such as 8h, to a time, or to the next due funding, countdown or any.

        `sparse`: the agents act once a minute. Returns the effects settled on the way. Refused,
        Unreachable.
        """
        given = {"by": by, "to": to, "to_next": to_next, "sparse": sparse}
        told = self._venue.operator(
            "advance_clock", **{name: value for name, value in given.items() if value}
        )
        return dict(told)

    def set(self, mode: str, **more: str) -> dict[str, Any]:
        """Set another mode: real, rate with `rate`, manual, skip. Refused, Unreachable."""
        return dict(self._venue.operator("change_clock", mode=mode, **more))


class Faults:
    """The venue's deliberate faults."""

    def __init__(self, venue: Handle) -> None:
        self._venue = venue

    def add(self, kind: str, **more: Any) -> str:
        """Add a rule and return its id. Name which requests it concerns (`operation`, `owner`,
        `channel` ...), when it applies (`nth`, `count`, `after` ...), and parameters of the effect
        (`ms`, `status` ...).

        `from_` stands for `from`. Refused, Unreachable.
        """
        given = {name.rstrip("_"): value for name, value in more.items()}
        match: dict[str, Any] = {name: given.pop(name) for name in _RULE if name in given}
        when = {name: given.pop(name) for name in _WHEN if name in given}
        rule = {"id": given.pop("id")} if "id" in given else {}
        side = given.get("side")
        # Other values name the effect's side: before or after.
        if isinstance(side, str) and side.upper() in ("BUY", "SELL"):
            match["side"] = given.pop("side")
        effect = {"kind": kind, **given}
        made = self._venue.operator("add_fault", **rule, match=match, when=when, effect=effect)
        return str(made["id"])

    def preset(self, name: str, rate: str = "") -> list[dict[str, Any]]:
        """Add the rules of a preset; with `rate` such as 30% they apply less often. Refused,
        Unreachable."""
        scaled = {"rate": rate} if rate else {}
        return list(self._venue.operator("apply_fault_preset", name=name, **scaled))

    def hits(self, rule: str) -> int:
        """Return how often a rule has applied. Misused: no rule has this id."""
        for one in self._venue.operator("faults"):
            if one["id"] == rule:
                return int(one["hits"])
        raise Misused(f"there is no rule {rule}")

    def clear(self) -> None:
        """Remove all rules."""
        self._venue.operator("clear_faults")


class Wire:
    """The venue's wire log since the test started: requests, answers, frames of private sockets."""

    def __init__(self, venue: Handle) -> None:
        self._venue = venue
        self.after = 0

    def begin(self) -> None:
        """Skip all earlier entries, which are no part of the test. Refused, Unreachable."""
        before = self._venue.operator("wire", limit=1, tools=True)
        self.after = before[-1]["number"] if before else 0

    def entries(self, **only: Any) -> list[dict[str, Any]]:
        """Return the entries that match all given fields, oldest first: `owner`, `operation`,
        `kind`, `faulty`, `refused`, `status` as 400, 4xx or lost. The newest 1,000, of a world 200.
        The operator's are among them, unless `tools` is False. Refused, Unreachable."""
        asked = {"after": self.after, "limit": ENTRIES_MAX, "tools": True, **only}
        return list(self._venue.operator("wire", **asked))


class Handle:
    """The venue of one test. `url` is for REST clients, `sockets` has the addresses of streams."""

    def __init__(self, url: str, seed: int | None, markets: dict[str, Any]) -> None:
        self.url = url
        self.ws_url = f"ws{url.removeprefix('http')}"
        self.sockets = {name: f"{self.ws_url}/{name}/v3/ws" for name in ("spot", "contract")}
        self.seed = seed
        self.clock = Clock(self)
        self.faults = Faults(self)
        self.accounts = {one.name: _account(one.name, url) for one in demo.ACCOUNTS}
        self.wire = Wire(self)
        self._markets = markets  # of ccxt: loading them takes longer than most tests

    def operator(self, operation: str, /, **values: Any) -> Any:
        """Call an operator operation by its name; return the answer. Refused, Unreachable."""
        return self._answer(operation, values, None)

    def ask(self, name: str, operation: str, /, **values: Any) -> Any:
        """Call an operation for a demo account by its name; return the answer. Refused,
        Unreachable."""
        return self._answer(operation, values, self.account(name))

    def _answer(self, operation: str, values: dict[str, Any], account: Credentials | None) -> Any:
        row = BY_NAME.get(operation)
        if row is None:
            raise Misused(f"there is no operation {operation}")
        if account is None:
            token = os.environ.get(OPERATOR_TOKEN, "")
            client = Client(self.url, operator_token=token, timeout_s=ANSWER_S)
        else:
            client = Client(self.url, **account.given(), timeout_s=ANSWER_S)
        with client:
            return ask_patiently(client, row, wire_values(values, floats=True)).value()

    def account(self, name: str) -> Credentials:
        """Return a demo account's keys. Misused: there is no such account."""
        if name not in self.accounts:
            raise Misused(f"there is no account {name}; there are {', '.join(self.accounts)}")
        return self.accounts[name]

    def ccxt(self, name: str = "alice", **more: Any) -> Any:
        """Return a stock ccxt client that trades as an account; `more` are options of its
        constructor."""
        import ccxt

        account = self.account(name)
        api = {
            **dict.fromkeys(("public", "private", "contract", "contractPrivate"), self.url),
            "ws": self.sockets,
        }
        client = ccxt.weex(
            {
                "apiKey": account.key,
                "secret": account.secret,
                "password": account.passphrase,
                "enableRateLimit": False,
                "urls": {"api": api, "test": api},
                **more,
            }
        )
        if not self._markets:
            client.load_markets()
            self._markets |= {"markets": client.markets, "currencies": client.currencies}
        client.set_markets(self._markets["markets"], self._markets["currencies"])
        return client

    def run(
        self, *command: str, name: str = "alice", only_venue: bool = True, timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program that takes this venue for the exchange, as `venue with` does; return its
        exit code and its output. It can reach no other host, unless `only_venue` is False.
        TimeoutExpired."""
        words = [sys.executable, "-P", "-m", "venue", "with", name, "--url", self.url]
        words += ["--only-venue"] if only_venue else []
        words += ["--", *command]
        return subprocess.run(  # noqa: S603 - a test's own command
            words, check=False, capture_output=True, text=True, timeout=timeout_s
        )

    def snapshot(self, name: str = "kept") -> str:
        """Save the state under a name, for `revert`; return the name. Refused, Unreachable."""
        return str(self.operator("keep_snapshot", name=name)["name"])

    def revert(self, name: str = "kept") -> None:
        """Revert to a saved state, any number of times. Refused, Unreachable."""
        self.operator("revert", name=name)

    def explain(self, kind: str, identity: int | str) -> dict[str, Any]:
        """Return the reasons for an `order`, `bill`, `liquidation` or `refusal`. Refused,
        Unreachable."""
        return dict(self.operator(f"explain_{kind}", id=identity))

    def index(self, symbol: str, price: str | Decimal) -> None:
        """Set a contract's index to a price at once, until time has advanced by ten seconds."""
        self.operator("change_contract", symbol=symbol, indexSources=["test"])
        self.operator("post_index", symbol=symbol, source="test", price=price, jump=True)


def _account(name: str, url: str) -> Credentials:
    found = credentials(name, url)
    assert found is not None
    return found
