"""The start-up screen of `venue dev`."""

from __future__ import annotations

import json
import os
from typing import Any

import venue
from venue.lab import demo
from venue.main import Options, Running
from venue.vocabulary import Wallet


def described(running: Running) -> dict[str, Any]:
    """The ready file: process, addresses, demo accounts."""
    host = f"[{running.host}]" if ":" in running.host else running.host
    at = f"{host}:{running.port}"
    names = running.rooms.engine.ledger.names
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


def _accounts(running: Running) -> list[demo.Account]:
    """The demo accounts whose published keys work."""
    keys = [running.rooms.keys.by_key(account.key.encode()) for account in demo.ACCOUNTS]
    return [
        account
        for account, key in zip(demo.ACCOUNTS, keys, strict=True)
        if key is not None and not key.revoked
    ]


def announce(running: Running, options: Options, form: str, took_s: float) -> None:
    """Print that the venue answers: as `line`, `json` or `text`."""
    facts = described(running)
    if form == "json":
        print(json.dumps(facts), flush=True)
    elif form == "line":
        print(f"venue {venue.__version__} ready at {facts['rest']}", flush=True)
    else:
        print(banner(running, options, facts["rest"], took_s), flush=True)


def banner(running: Running, options: Options, rest: str, took_s: float) -> str:
    """One screen."""
    rows = [
        f" venue {venue.__version__}   practice exchange: virtual money on your machine",
        "",
        f"   REST        {rest}   (spot /api/v3, contracts /capi/v3)",
        f"   API         {rest}/openapi.json      Health  {rest}/_venue/health",
        "",
    ]
    accounts = _accounts(running)
    rows.append(
        "   account  key / secret / passphrase               what it has"
        if accounts
        else "   no demo keys; the operator makes keys: POST /_venue/keys"
    )
    for account in accounts:
        keys = f"{account.key} / {account.secret} / {demo.PASSPHRASE}"
        rows.append(f"   {account.name:<8} {keys:<39} {_holdings(account)}")
    rows.append(f"   contract wallets: {_contract_wallets()}")
    engine = running.rooms.engine
    symbols = " ".join(engine.spot.markets)
    contracts = " ".join(engine.contracts.markets)
    agents = "agents quoting" if options.agents else "no agents: books are empty"
    data = running.rooms.data
    elsewhere = "" if running.port == Options().port else f" --url {rest}"
    if options.state is None:
        data += ", lost on exit (keep it: --state venue.db)"
    rows += [
        "",
        f"   Markets     {symbols}   ({agents})",
        f"   Perpetuals  {contracts}",
        f"   Seed {options.seed}      Data  {data}",
        "",
        f"   Try   curl '{rest}/api/v3/market/ticker/24hr?symbol=BTCUSDT'",
        *(f"         venue env {one.name} --format ccxt-py{elsewhere}" for one in accounts[:1]),
        f"         venue faucet carol SPOT USDT 1000{elsewhere}",
        f"         venue positions alice{elsewhere}",
        f" Ready in {took_s:.2f} s. ^C to stop.",
    ]
    return "\n".join(rows)


def _holdings(account: demo.Account) -> str:
    spot = [f"{units:,} {asset}" for wallet, asset, units in account.money if wallet == Wallet.SPOT]
    return f"{account.note}: {', '.join(spot)}" if spot else account.note


def _contract_wallets() -> str:
    """The contract wallets of the demo accounts; equal ones stand together."""
    owners: dict[str, list[str]] = {}
    for account in demo.ACCOUNTS:
        money = [
            f"{units:,} {asset}"
            for wallet, asset, units in account.money
            if wallet == Wallet.CONTRACT
        ]
        if money:
            owners.setdefault(" + ".join(money), []).append(account.name)
    return "; ".join(f"{', '.join(names)} {money}" for money, names in owners.items())
