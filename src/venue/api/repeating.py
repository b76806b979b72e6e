"""How each operation is repeated safely when its answer was lost."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from venue.api.operation import Row, parameters
from venue.vocabulary import Access

# The fields under which a repetition is answered as the first: one of the request's own.
NAMES: Final = ("newClientOrderId", "clientAlgoId", "clientTranId", "reference")
READING: Final = (Access.PUBLIC, Access.READ)


class Repetition(StrEnum):
    """The outcome of an operation that is sent a second time."""

    READS = "changes nothing"
    NAMED = "is answered as the first, under the same"
    SIGNED = "is answered as the first: the same signed bytes, within 30 s of their timestamp"
    STATE = "leaves the state that the first left"
    REFUSED = "is refused: the first made it"
    EACH = "has its effect each time"


# Rows without a field of NAMES, with the way to be safe where the second has an effect of its own.
_ROWS: Final[dict[str, tuple[Repetition, str]]] = {
    **dict.fromkeys(
        ("place_batch", "place_contract_batch"),
        (Repetition.NAMED, "newClientOrderId of each order"),
    ),
    **dict.fromkeys(
        (
            "cancel_order", "cancel_open_orders", "cancel_batch", "cancel_contract_order",
            "cancel_contract_batch", "cancel_contract_open_orders", "cancel_algo", "cancel_algos",
            "set_margin_type", "set_leverage", "set_auto_margin", "change_exit", "cancel_after",
            "contract_cancel_after", "set_copy_settings", "stop_copying", "freeze_owner",
            "set_fees", "revoke_key", "change_instrument", "halt", "resume", "change_settings",
            "change_contract", "halt_contract", "resume_contract", "post_index", "set_discount",
            "join_discount", "set_affiliate", "set_fee_tiers", "set_lead", "clear_faults",
            "change_fault", "remove_fault", "apply_fault_preset", "change_clock", "stop",
            "hold_index", "release_index", "keep_snapshot", "delete_snapshot", "revert", "reset",
            "delete_world", "remove_content",
        ),
        (Repetition.STATE, ""),
    ),
    **dict.fromkeys(
        ("move_margin", "close_positions", "close_copy"), (Repetition.SIGNED, "")
    ),
    **dict.fromkeys(
        (
            "create_owner", "register_asset", "list_instrument", "list_contract", "invite",
            "create_world", "delist_contract", "settle_contract",
        ),
        (Repetition.REFUSED, ""),
    ),
    **dict.fromkeys(("preview", "preview_change", "try_fault"), (Repetition.READS, "")),
    "create_key": (Repetition.EACH, "the list of keys shows it: revoke it"),
    "post_article": (Repetition.EACH, "the list of articles shows it"),
    "post_banner": (Repetition.EACH, "the list of banners shows it"),
    "add_fault": (Repetition.EACH, "with an id the second is refused"),
    "advance_clock": (Repetition.EACH, "with `to` instead of `by` the time is reached once"),
    "crash": (Repetition.EACH, "the state of the index shows it"),
}  # fmt: skip


def repetition(row: Row) -> tuple[Repetition, str]:
    """Return the outcome of the second of two equal requests, with the field or the remedy;
    KeyError for a row that nobody has judged."""
    if row.method == "GET" or row.access in READING:
        return Repetition.READS, ""
    name = repeated_under(row)
    return (Repetition.NAMED, name) if name else _ROWS[row.name]


def repeated_under(row: Row) -> str:
    """Return the field of a request under which a repetition is answered as the first; empty:
    none."""
    if row.method != "POST" or row.access in READING:
        return ""
    own = [field.encode_name for field in parameters(row)]
    return next((name for name in NAMES if name in own), "")


def describe_repetition(row: Row) -> str:
    """Return the same in words."""
    kind, more = repetition(row)
    if kind == Repetition.NAMED:
        return f"{kind} {more}"
    return f"{kind}; {more}" if more else str(kind)
