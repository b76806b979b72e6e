"""A row's request and its answer, and the words to write rows with."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from support.stamps import stamp_ms
from venue.api import signing

JSON = {"Content-Type": "application/json"}
FIRST_ID = 10**15

Account = dict[str, Any]
Headers = dict[str, str | bytes | list[str]]
Sender = Callable[[Account | None, str, str, bytes], Headers]


def signed(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
    """The headers of a well-made request."""
    return at(0)(account, method, target, raw)


def at(offset_ms: int) -> Sender:
    """Signed with a time beside the server's."""

    def send(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
        return stamped(str(stamp_ms() + offset_ms))(account, method, target, raw)

    return send


def stamped(timestamp: str) -> Sender:
    """Signed with this timestamp."""

    def send(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
        sent: Headers = {**JSON} if raw else {}
        if account is None:
            return sent
        path, _, query = target.partition("?")
        text = signing.payload(
            timestamp.encode(), method.encode(), path.encode(), query.encode(), raw
        )
        sent["ACCESS-KEY"] = account["key"]
        sent["ACCESS-PASSPHRASE"] = account["passphrase"]
        sent["ACCESS-TIMESTAMP"] = timestamp
        sent["ACCESS-SIGN"] = signing.sign(account["secret"].encode(), text).decode()
        return sent

    return send


def but(**changes: str | bytes | list[str] | None) -> Sender:
    """Signed, then these headers replaced (`_` for `-`); None leaves one out."""

    def send(account: Account | None, method: str, target: str, raw: bytes) -> Headers:
        sent = signed(account, method, target, raw)
        for name, value in changes.items():
            header = name.replace("_", "-")
            if value is None:
                sent.pop(header, None)
            else:
                sent[header] = value
        return sent

    return send


def signed_for(method: str, target: str, raw: bytes) -> Sender:
    """With the signature of another request."""

    def send(account: Account | None, _: str, __: str, sent: bytes) -> Headers:
        return signed(account, method, target, raw) | ({**JSON} if sent else {})

    return send


class Case(NamedTuple):
    """One request and the answer that it must get.

    A `code` below 0 refuses the request, a text is the code of its one batch item; `words` stand
    in the message. `engine`: the refusal is the engine's, so the journal holds it.
    """

    row: str
    method: str
    target: str
    body: Any
    code: int | str
    words: tuple[str, ...]
    who: str | None = "alice"
    status: int = 400
    headers: Sender = signed
    engine: bool = False

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


class Accepted(NamedTuple):
    """A request that looks odd and is served all the same; `ignored` names stand in a header."""

    row: str
    method: str
    target: str
    body: Any = None
    who: str | None = "alice"
    headers: Sender = signed
    ignored: str = ""


class Raw(NamedTuple):
    """Bytes that are no request of ours; `{host}` is the server's. Status 0: closed silently."""

    row: str
    request: bytes
    status: int
    words: str


def changed(plain: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """With these members replaced; `...` leaves one out."""
    return {name: value for name, value in (plain | changes).items() if value is not ...}


def order(**changes: Any) -> dict[str, Any]:
    """A good single order, changed."""
    plain = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT"}
    return changed({**plain, "quantity": "0.01", "price": "60000"}, changes)


def place(row: str, code: int, *words: str, engine: bool = False, **changes: Any) -> Case:
    """A single order that is refused."""
    who = changes.pop("who", "alice")
    body = order(**changes)
    return Case(row, "POST", "/api/v3/order", body, code, words, who, engine=engine)


def item(row: str, code: str, *words: str, engine: bool = False, **changes: Any) -> Case:
    """A batch of one order that is refused."""
    who, symbol = changes.pop("who", "alice"), changes.pop("symbol", "BTCUSDT")
    one = order(**{"timeInForce": "GTC", "symbol": ..., **changes})
    body = {"symbol": symbol, "orderList": [one]}
    return Case(row, "POST", "/api/v3/order/batch", body, code, words, who, 200, engine=engine)


def market(**changes: Any) -> dict[str, Any]:
    """The changes that make a LIMIT order a MARKET order."""
    return {"type": "MARKET", "price": ..., "timeInForce": ..., **changes}


def post(row: str, target: str, body: Any, code: int, *words: str, who: str = "alice") -> Case:
    return Case(row, "POST", target, body, code, words, who)


def get(row: str, target: str, code: int, *words: str, who: str | None = "alice") -> Case:
    return Case(row, "GET", target, None, code, words, who)


def delete(row: str, target: str, body: Any, code: int, *words: str) -> Case:
    return Case(row, "DELETE", target, body, code, words)
