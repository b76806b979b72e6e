"""`venue status`, `stop`, `wait` and `withdraw`: a running venue as its operator sees it."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from cyclopts import Parameter

from venue.cli.operator import (  # fmt: skip
    Amount,
    Asset,
    Output,
    Owner,
    Url,
    Wallet,
    call,
    checked,
    die,
    moment,
)
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.cli.serving.shared import LOOPBACK
from venue.client.defaults import DEFAULT_URL

WAIT_MAX_S: Final = 3_600
STOP_MAX_S: Final = 60
BETWEEN_S: Final = 0.05


def withdraw(
    name: Owner, wallet: Wallet, asset: Asset, amount: Amount, *, url: Url = DEFAULT_URL
) -> None:
    """Take an amount out of a wallet of an owner of a running venue."""
    body = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
    moved = call(url, "withdraw", body)
    tell(f"{name} {moved['wallet']} {moved['asset']} {moved['amount']} -> {moved['after']}")


def status(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print how a running venue is; ends with 1 when it is not well."""
    told = call(url, "health", {"stateHash": "false"})
    if output == "json":
        tell(json.dumps(told))
    else:
        tell(f"venue {told['version']} at {url}: {told['status']}")
        tell(f"  venue time  {moment(told['venueTime'])}, machine's time +{told['clockAhead']} ms")
        tell(f"  profile     {told['profile']}")
        tell(f"  data        {told['data']}, command {told['sequence']},")
        tell(f"              history up to {told['historySequence']}")
        tell(
            f"  owners {told['owners']}, open orders {told['openOrders']},"
            f" open positions {told['openPositions']}"
        )
        if told["staleContracts"]:
            tell(f"  no current index: {' '.join(told['staleContracts'])}")
        if told["closedContracts"]:
            tell(f"  outside market hours: {' '.join(told['closedContracts'])}")
        for index in told["indexCosts"]:
            tell(f"  index       {index['symbol']} {_moved(index)}")
        if told["forgotten"]:
            tell(f"  forgotten   {told['forgotten']}")
        for warning in told["warnings"]:
            tell(f"  warning: {warning}")
    if told["status"] != "ok":
        raise SystemExit(1)


def _moved(index: dict[str, Any]) -> str:
    """The cost of moving an index by 1 % now, and what that moves."""
    if not index["cost"]:
        return "is moved by no order"
    return f"costs {index['cost']} to move by 1 %, which moves {index['gain']}"


def stop(*, url: Url = DEFAULT_URL) -> None:
    """Stop a running venue, and wait until it has saved its state."""
    from venue.api.documents.table import BY_NAME
    from venue.cli.clients import send
    from venue.client.errors import FAILURES

    pid = int(call(url, "stop", {})["pid"])
    ends = time.monotonic() + STOP_MAX_S
    with working("stopping the venue"):
        with suppress(*FAILURES):
            while time.monotonic() < ends:
                send(url, BY_NAME["ping"], {}, timeout_s=1.0)
                time.sleep(BETWEEN_S)
        while _runs(pid, url) and time.monotonic() < ends:
            time.sleep(BETWEEN_S)
    if _runs(pid, url):
        die(f"the venue at {url} is still ending after {STOP_MAX_S} s (process {pid})")
    tell(f"the venue at {url} has stopped")


def _runs(pid: int, url: str) -> bool:
    """Whether a process of this user is there on this machine."""
    if urlsplit(url).hostname not in LOOPBACK or pid <= 1:
        return False
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:  # no such folder on this machine
        return True
    except (OSError, OverflowError, IndexError):
        return False
    return state != "Z"  # ended, though its parent has not looked yet


def wait(
    *,
    seconds: Annotated[
        float, Parameter(name="--timeout", help="How long at most, in seconds: 0 to 3600.")
    ] = 60.0,
    url: Url = DEFAULT_URL,
) -> None:
    """Wait until a venue answers; ends with 2 when none does."""
    from venue.client.errors import FAILURES, words

    if not 0 <= seconds <= WAIT_MAX_S:
        die(f"--timeout {seconds:g}: must be from 0 to {WAIT_MAX_S}")
    checked(url)
    ends = time.monotonic() + seconds
    try:
        with working(f"waiting for a venue at {url}"):
            while not _answers(url, ends):
                time.sleep(BETWEEN_S)
    except FAILURES as problem:
        die(f"waited for {seconds:g} s: {words(problem)}")
    tell(f"a venue answers at {url}")


def _answers(url: str, ends: float) -> bool:
    """Whether a venue answers; Unreachable, Refused: none does, and the time is over."""
    from venue.api.documents.table import BY_NAME
    from venue.cli.clients import send
    from venue.client.errors import FAILURES

    try:
        left = max(ends - time.monotonic(), BETWEEN_S)
        send(url, BY_NAME["ping"], {}, timeout_s=left).value()
    except FAILURES:
        if time.monotonic() >= ends:
            raise
        return False
    return True


COMMANDS: Final = {"withdraw": withdraw, "status": status, "stop": stop, "wait": wait}
