"""Prints an owner's key for other programs: shell, JSON, curl, ccxt, freqtrade, node, Go."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from venue.lab.credentials import Credentials

PLAIN: Final = re.compile("[\\w@%+:,./-]*", re.ASCII)  # a value that needs no quotes


def _variables(found: Credentials) -> list[tuple[str, str]]:
    return [
        ("VENUE_URL", found.url),
        ("VENUE_KEY", found.key),
        ("VENUE_SECRET", found.secret),
        ("VENUE_PASSPHRASE", found.passphrase),
    ]


def _sh(found: Credentials) -> str:
    texts = [(name, value.replace("'", "'\\''")) for name, value in _variables(found)]
    return "\n".join(f"export {name}='{text}'" for name, text in texts)


def _dotenv(found: Credentials) -> str:
    return "\n".join(f"{name}={_quoted(value)}" for name, value in _variables(found))


def _quoted(value: str) -> str:
    """A value as files of variables have it: a shell that reads them runs nothing in it."""
    if PLAIN.fullmatch(value):
        return value
    return json.dumps(value) if "'" in value else f"'{value}'"


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
    "apiKey": {json.dumps(found.key)},
    "secret": {json.dumps(found.secret)},
    "password": {json.dumps(found.passphrase)},
    "enableRateLimit": False,  # the real exchange's pacing; not needed on this machine
    "urls": {{"api": api, "test": api}},  # test too: sandbox mode must not reach a live host
}})"""


def _ccxt_js(found: Credentials) -> str:
    return f"""import ccxt from 'ccxt'

const api = {json.dumps(_urls(found))}
const exchange = new ccxt.pro.weex ({{
  apiKey: {json.dumps(found.key)},
  secret: {json.dumps(found.secret)},
  password: {json.dumps(found.passphrase)},
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


def _node(found: Credentials) -> str:
    """A function that signs: `v('GET', '/api/v3/account/')`."""
    url, key, secret, passphrase = (json.dumps(value) for _, value in _variables(found))
    return f"""const {{ createHmac }} = require('node:crypto')

const [url, key, secret, passphrase] = [
  {url}, {key}, {secret}, {passphrase}
]

async function v (method, path, body = '') {{
  const time = String(Date.now())
  const signed = createHmac('sha256', secret).update(time + method + path + body)
  const headers = {{
    'Content-Type': 'application/json',
    'ACCESS-KEY': key,
    'ACCESS-PASSPHRASE': passphrase,
    'ACCESS-TIMESTAMP': time,
    'ACCESS-SIGN': signed.digest('base64')
  }}
  const answer = await fetch(url + path, {{ method, headers, body: body || undefined }})
  return answer.text()
}}

v('GET', '/api/v3/account/').then(console.log)"""


def _go(found: Credentials) -> str:
    """A program whose function signs: `v("GET", "/api/v3/account/", "")`."""
    url, key, secret, passphrase = (json.dumps(value) for _, value in _variables(found))
    return f"""package main

import (
\t"crypto/hmac"
\t"crypto/sha256"
\t"encoding/base64"
\t"fmt"
\t"io"
\t"net/http"
\t"strconv"
\t"strings"
\t"time"
)

const (
\turl        = {url}
\tkey        = {key}
\tsecret     = {secret}
\tpassphrase = {passphrase}
)

func v(method, path, body string) (string, error) {{
\tstamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
\tsigned := hmac.New(sha256.New, []byte(secret))
\tsigned.Write([]byte(stamp + method + path + body))
\trequest, err := http.NewRequest(method, url+path, strings.NewReader(body))
\tif err != nil {{
\t\treturn "", err
\t}}
\trequest.Header.Set("Content-Type", "application/json")
\trequest.Header.Set("ACCESS-KEY", key)
\trequest.Header.Set("ACCESS-PASSPHRASE", passphrase)
\trequest.Header.Set("ACCESS-TIMESTAMP", stamp)
\trequest.Header.Set("ACCESS-SIGN", base64.StdEncoding.EncodeToString(signed.Sum(nil)))
\tanswer, err := http.DefaultClient.Do(request)
\tif err != nil {{
\t\treturn "", err
\t}}
\tdefer answer.Body.Close()
\ttext, err := io.ReadAll(answer.Body)
\treturn string(text), err
}}

func main() {{
\ttext, err := v("GET", "/api/v3/account/", "")
\tif err != nil {{
\t\tpanic(err)
\t}}
\tfmt.Println(text)
}}"""


FORMATS: Final[dict[str, Callable[[Credentials], str]]] = {
    "sh": _sh,
    "dotenv": _dotenv,
    "json": _json,
    "curl": _curl,
    "ccxt-py": _ccxt_py,
    "ccxt-js": _ccxt_js,
    "freqtrade": _freqtrade,
    "node": _node,
    "go": _go,
}
