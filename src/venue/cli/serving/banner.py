"""The start-up screen of `venue dev` and `venue serve`."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import venue
from venue.api.profile import Profile
from venue.cli.printing import clean, paint, tell
from venue.client.operator_tokens import ANYWHERE
from venue.compiled import notice
from venue.lab import demo
from venue.running.options import Options
from venue.running.serving import Running
from venue.vocabulary import Wallet

COLUMNS: Final = 80
WITH_KEYS: Final = ("env alice --format ccxt-py", "buy BTCUSDT 0.01")
WITHOUT_KEYS: Final = ("key create alice --permission READ", "status")
_ADDRESS: Final = re.compile(r"(?:http|ws)://[^ \n]+")


def described(running: Running) -> dict[str, Any]:
    """The ready file: process, addresses, demo accounts."""
    host = ANYWHERE.get(running.host, running.host)
    host = f"[{host}]" if ":" in host else host
    at = f"{host}:{running.port}"
    names = running.node.engine.uids
    return {
        "pid": os.getpid(),
        "rest": f"http://{at}",
        "ws_spot": f"ws://{at}/spot/v3/ws",
        "ws_contract": f"ws://{at}/contract/v3/ws",
        "accounts": [
            {
                "name": account.name,
                "uid": names[account.name],
                "key": account.key,
                "secret": account.secret,
                "passphrase": demo.PASSPHRASE,
                "permissions": demo.permission_names(account.permissions),
            }
            for account in _accounts(running)
        ],
    }


def _accounts(running: Running) -> list[demo.DemoAccount]:
    """The demo accounts whose published keys work."""
    keys = [running.door.keys.by_key(account.key.encode()) for account in demo.ACCOUNTS]
    return [
        account
        for account, key in zip(demo.ACCOUNTS, keys, strict=True)
        if key is not None and not key.revoked
    ]


def announce(running: Running, options: Options, form: str, took_s: float) -> None:
    """Print that the venue answers: as `line`, `json` or `text`."""
    facts = described(running)
    if form == "json":
        tell(json.dumps(facts), flush=True)
    elif form == "line":
        tell(f"venue {venue.__version__} ready at {facts['rest']}", flush=True)
    else:
        text = banner(running, options, facts["rest"], took_s)
        if _is_terminal():
            paint(coloured(clean(text)), sys.stdout)
        else:
            tell(text, flush=True)


def banner(running: Running, options: Options, rest: str, took_s: float) -> str:
    """One screen of 24 lines of 80 characters at most."""
    facts = described(running)
    kind = "practice exchange: virtual money on your machine" if options.practice else "real venue"
    if options.profile is Profile.LIVE:
        kind += ", as live"
    rows = [
        f" venue {venue.__version__}   {kind}",
        "",
        f" REST        {rest}   (spot /api/v3, contracts /capi/v3)",
        f" WebSocket   {facts['ws_spot']}/public   (and /private)",
        f"             {facts['ws_contract']}/public",
        f" Page        {rest}/   (also /openapi.json, /_venue/health)",
        "",
    ]
    if running.host in ANYWHERE:
        rows.insert(
            -1, f"             from elsewhere: an address of this machine, port {running.port}"
        )
    elsewhere = "" if running.port == Options().port else f" --url {rest}"
    rows += (
        _practice(running, options, elsewhere)
        if options.practice
        else _real(running, options, elsewhere)
    )
    rows += (_line(f" Engine {notice()}"), f" Ready in {took_s:.2f} s. ^C to stop.")
    return "\n".join(rows)


def _practice(running: Running, options: Options, elsewhere: str) -> list[str]:
    """The rows of a practice venue: accounts, markets, data, and calls to begin with."""
    accounts = _accounts(running)
    command = called()
    engine = running.node.engine
    agents = "agents quoting" if options.agents else "no agents: books are empty"
    data = running.node.data
    if options.state is None:
        data += ", lost on exit (keep it: --state venue.db)"
    rows = [
        " account  key / secret / passphrase"
        if accounts
        else f" no demo keys; the operator makes them: {command} key create NAME",
    ]
    tries = WITH_KEYS if accounts else WITHOUT_KEYS
    for account in accounts:
        keys = f"{account.key} / {account.secret} / {demo.PASSPHRASE}"
        rows.append(f" {account.name:<8} {keys:<40} {account.note}")
    return [
        *rows,
        _line(f" Spot: {_wallets(Wallet.SPOT)}"),
        _line(f" Contracts: {_wallets(Wallet.CONTRACT)}"),
        _line(f" Markets     {' '.join(engine.spot_markets)}   ({agents})"),
        _line(f" Perpetuals  {' '.join(engine.perps)}"),
        f" Seed {options.seed}      Data {data}",
        f" Operator    {_practice_operator(options)}",
        f" Try   {command} {tries[0]}{elsewhere}",
        f"       {command} {tries[1]}{elsewhere}",
        f"       {command} --help",
    ]


def _practice_operator(options: Options) -> str:
    """The operators of a practice venue, and the remedy when others can reach it."""
    if options.operator_token:
        return "programs that send the token of VENUE_OPERATOR_TOKEN"
    return "programs of your user; behind a proxy set VENUE_OPERATOR_TOKEN"


def _real_operator(options: Options) -> str:
    """Where a real venue's token is."""
    if options.operator_token:
        return "programs that send the token of VENUE_OPERATOR_TOKEN"
    return f"programs that send the token in {options.state}.operator, as commands here do"


def _real(running: Running, options: Options, elsewhere: str) -> list[str]:
    """The rows of a real venue: what is there already, data, and calls to begin with."""
    command = called()
    engine = running.node.engine
    markets, perpetuals = " ".join(engine.spot_markets), " ".join(engine.perps)
    return [
        f" Owners      {len(engine.accounts)}",
        _line(f" Markets     {markets or 'none yet; the operator lists them: docs/operating.md'}"),
        _line(f" Perpetuals  {perpetuals or 'none yet'}"),
        f" Data        {running.node.data}",
        f" Operator    {_real_operator(options)}",
        "",
        f" Try   {command} status{elsewhere}",
        f"       {command} post create_owner name=erin{elsewhere}",
        f"       {command} --help",
    ]


def called() -> str:
    """How the command is called where it was started: by its name if the shell finds it so."""
    given = Path(sys.argv[0])
    if given.name == "__main__.py":
        return f"{Path(sys.executable).name} -m venue"
    found = shutil.which(given.name)
    if found is not None and Path(found).resolve() == given.resolve():
        return given.name
    with suppress(ValueError):
        return str(given.absolute().relative_to(Path.cwd()))
    return str(given)


def coloured(text: str) -> str:
    """A screen for a terminal: its title bold, its addresses in a colour."""
    title, _, rest = text.partition("\n")
    return f"\x1b[1m{title}\x1b[0m\n" + _ADDRESS.sub("\x1b[36m\\g<0>\x1b[0m", rest)


def _is_terminal() -> bool:
    """Whether standard output is a terminal with colours, and NO_COLOR is not set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _line(text: str) -> str:
    return text if len(text) <= COLUMNS else f"{text[: COLUMNS - 4]} ..."


def _wallets(wallet: Wallet) -> str:
    """The demo accounts' money in a wallet; accounts with the same money stand together."""
    owners: dict[str, list[str]] = {}
    for account in demo.ACCOUNTS:
        money = [f"{units:,} {asset}" for kind, asset, units in account.money if kind == wallet]
        if money:
            owners.setdefault(", ".join(money), []).append(account.name)
    return "; ".join(f"{', '.join(names)} {money}" for money, names in owners.items())
