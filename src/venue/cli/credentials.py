"""Prints a demo account for other programs: shell, dotenv, JSON, curl, ccxt, freqtrade."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from venue.lab import demo

OPERATOR_TOKEN: Final = "VENUE_OPERATOR_TOKEN"  # noqa: S105 - the variable's name


class Credentials(Struct, frozen=True):
    """A demo account at a running venue; `url` without a trailing slash."""

    url: str
    key: str
    secret: str
    passphrase: str

    @property
    def socket(self) -> str:
        return "ws" + self.url.removeprefix("http")


def credentials(name: str, url: str) -> Credentials | None:
    """The demo account's, or None for another name."""
    account = demo.account(name)
    if account is None:
        return None
    return Credentials(url.rstrip("/"), account.key, account.secret, demo.PASSPHRASE)


def _variables(found: Credentials) -> list[tuple[str, str]]:
    return [
        ("VENUE_URL", found.url),
        ("VENUE_KEY", found.key),
        ("VENUE_SECRET", found.secret),
        ("VENUE_PASSPHRASE", found.passphrase),
    ]


def _sh(found: Credentials) -> str:
    return "\n".join(f"export {name}='{value}'" for name, value in _variables(found))


def _dotenv(found: Credentials) -> str:
    return "\n".join(f"{name}={value}" for name, value in _variables(found))


def _json(found: Credentials) -> str:
    return json.dumps(dict(_variables(found)), indent=2)


def _curl(found: Credentials) -> str:
    """A shell function that signs: `v GET /api/v3/account/`, `v POST /api/v3/order '{...}'`."""
    return f"""{_sh(found)}
v() {{ local ts sig; ts=$(date +%s%3N)
  sig=$(printf %s "$ts$1$2${{3-}}" | openssl dgst -sha256 -hmac "$VENUE_SECRET" -binary | base64)
  curl -sw '\\n' -X "$1" "$VENUE_URL$2" ${{3:+-d "$3"}} -H 'Content-Type: application/json' \\
    -H "ACCESS-KEY: $VENUE_KEY" -H "ACCESS-PASSPHRASE: $VENUE_PASSPHRASE" \\
    -H "ACCESS-TIMESTAMP: $ts" -H "ACCESS-SIGN: $sig"; }}
v GET /api/v3/account/"""


def _urls(found: Credentials) -> dict[str, object]:
    return {
        "public": found.url,
        "private": found.url,
        "contract": found.url,
        "contractPrivate": found.url,
        "ws": {
            "spot": f"{found.socket}/spot/v3/ws",
            "contract": f"{found.socket}/contract/v3/ws",
        },
    }


def _ccxt_py(found: Credentials) -> str:
    return f"""import ccxt

api = {json.dumps(_urls(found))}
exchange = ccxt.weex({{
    "apiKey": "{found.key}",
    "secret": "{found.secret}",
    "password": "{found.passphrase}",
    "enableRateLimit": False,  # the real exchange's pacing; not needed on this machine
    "urls": {{"api": api, "test": api}},  # test too: sandbox mode must not reach a live host
}})"""


def _ccxt_js(found: Credentials) -> str:
    return f"""import ccxt from 'ccxt'

const api = {json.dumps(_urls(found))}
const exchange = new ccxt.pro.weex ({{
  apiKey: '{found.key}',
  secret: '{found.secret}',
  password: '{found.passphrase}',
  enableRateLimit: false, // the real exchange's pacing; not needed on this machine
  urls: {{ api, test: api }}, // test too: sandbox mode must not reach a live host
}})
await exchange.loadHttpProxyAgent () // ccxt wants this once before it opens a plain ws://"""


def _freqtrade(found: Credentials) -> str:
    exchange = {
        "name": "weex",
        "key": found.key,
        "secret": found.secret,
        "password": found.passphrase,
        "ccxt_config": {
            "enableRateLimit": False,
            "has": {"fetchL2OrderBook": True},
            "urls": {"api": _urls(found)},
        },
        "_ft_has_params": {"ws_enabled": False, "order_time_in_force": ["GTC", "IOC", "FOK"]},
        "pair_whitelist": ["BTC/USDT"],
    }
    return json.dumps({"exchange": exchange}, indent=2)


FORMATS: Final[dict[str, Callable[[Credentials], str]]] = {
    "sh": _sh,
    "dotenv": _dotenv,
    "json": _json,
    "curl": _curl,
    "ccxt-py": _ccxt_py,
    "ccxt-js": _ccxt_js,
    "freqtrade": _freqtrade,
}
