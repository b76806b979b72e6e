"""Cancel-all-after, an operation of the venue's own: countdowns that end all open orders."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Countdown
from venue.api.operation import post
from venue.vocabulary import Access


class CancelAfterRequest(Struct):
    """Cancel all open orders of the product in `timeout` seconds, unless this is sent before.

    Sent again it begins the countdown anew; 0 switches it off. The countdown runs on over restarts
    of the venue, and is off when it has cancelled. The venue looks once a second: orders end about
    a second late at most. Conditional orders of contracts stay, as they protect positions.
    """

    timeout: Countdown


class CancelAfterReply(Struct, rename="camel"):
    """The countdown as it is now; `triggerTime` is 0 when it is off. Times in ms."""

    timeout: int
    trigger_time: int
    server_time: int


cancel_after = post(
    "cancel_after", "/api/v3/cancelAllAfter", Access.SPOT_TRADE, (1, 1), CancelAfterRequest,
    CancelAfterReply,
)  # fmt: skip
contract_cancel_after = post(
    "contract_cancel_after", "/capi/v3/cancelAllAfter", Access.CONTRACT_TRADE, (5, 10),
    CancelAfterRequest, CancelAfterReply,
)  # fmt: skip

ROWS = (cancel_after, contract_cancel_after)
