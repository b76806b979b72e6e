"""Lets operators of a practice venue act for an owner: `X-Venue-Act-As` names it, nothing is
signed.

They may do what the owner could, and no more: the same requests are refused.
"""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.gateway.access.callers import Caller
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.replay import ACTED
from venue.gateway.dispatch.routes import Route
from venue.gateway.dispatch.wire_log import ACT_AS
from venue.gateway.transport.request import Request
from venue.node.node import Node
from venue.vocabulary import Access

SHOWN: Final = "X-Venue-Act-As"
OWNERS: Final = int(Access.READ | Access.SPOT_TRADE | Access.CONTRACT_TRADE)
_SIGNED: Final = (b"access-key", b"access-sign", b"access-timestamp", b"access-passphrase")


def acting(node: Node, operators: OperatorDoor, request: Request, route: Route) -> Caller:
    """Return the owner that a request names, as its caller, with every permission of an owner's
    key.

    ApiError -1142 on a venue that is not for practice, for a row that acts for no owner, a header
    given twice and an unknown owner. ApiError -1051 (HTTP 403) for a caller that is no operator,
    -1128 for a request that is signed as well.
    """
    headers = request.headers
    if not node.practice:
        raise errors.invalid(SHOWN, "only a practice venue takes this header")
    operators.check(request.ip, headers, request.connection.peer_owner, old=request.old)
    if route.access is Access.OPERATOR:
        raise errors.invalid(SHOWN, "rows under /_venue/ name their owner in a parameter")
    for name in _SIGNED:
        if name in headers:
            raise errors.combination(name.decode().upper(), SHOWN)
    if ACT_AS in request.repeated:
        raise errors.invalid(SHOWN, "given more than once")
    account = node.owner(headers[ACT_AS].decode("utf-8", "replace"), SHOWN)
    return acted_for(account.uid)


def acted_for(uid: int) -> Caller:
    """Return an owner as its operator acts for it, with every permission of an owner's key."""
    return Caller(uid, "", OWNERS, 0, ACTED)


def named_uid(node: Node, request: Request) -> int:
    """Return the uid of the owner that a request says it acts for; 0 when it names none."""
    name = request.headers.get(ACT_AS)
    if name is None or not node.practice:
        return 0
    try:
        return node.owner(name.decode("utf-8", "replace")).uid
    except ApiError:
        return 0
