"""Cancel-all-after, an operation of the venue's own: countdowns that end all open orders."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Countdown
from venue.api.operation import Under, rows
from venue.vocabulary import Access


class CancelAfterRequest(Struct, kw_only=True):
    """Cancel all open orders of the product in `timeout` seconds, unless this is sent before.

    Sent again it begins the countdown again; 0 switches it off. The countdown runs on over restarts
    of the venue, and is off when it has cancelled. The venue looks once a second: orders end about
    a second late at most. Conditional orders of contracts stay, as they protect positions.
    """

    timeout: Countdown


class CancelAfterReply(Struct, rename="camel"):
    """The countdown as it is now; `triggerTime` is 0 when it is off. Times in ms."""

    timeout: int
    trigger_time: int
    server_time: int


API = Under("/api/v3", Access.SPOT_TRADE)
CAPI = Under("/capi/v3", Access.CONTRACT_TRADE)
cancel_after = API.post("/cancelAllAfter", (1, 1), CancelAfterRequest, CancelAfterReply)
contract_cancel_after = CAPI.post("/cancelAllAfter", (5, 10), CancelAfterRequest, CancelAfterReply)

ROWS = rows(globals())
