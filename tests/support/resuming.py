"""The frames and refusals of a client that resumes."""

from __future__ import annotations

from support.listening import Listener, Message

INVALID = "INVALID_ARGUMENT: "


def by_channel(frames: list[Message]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for frame in frames:
        found.setdefault(frame["e"], []).append(frame)
    return found


def up_to(listener: Listener, wanted: dict[str, int]) -> dict[str, list[Message]]:
    """Frames until each channel has come to a number."""
    found: list[Message] = []
    newest = dict.fromkeys(wanted, 0)
    while newest != wanted:
        found.append(listener.next())
        newest[found[-1]["e"]] = found[-1]["seq"]
    return by_channel(found)


def numbers(frames: list[Message]) -> list[int]:
    return [frame["seq"] for frame in frames]


def refused(listener: Listener, *params: str) -> str:
    answer = listener.ask({"method": "SUBSCRIBE", "params": list(params), "id": 7})
    assert (answer["result"], answer["id"]) == (False, 7)
    assert answer["msg"].startswith(INVALID)
    return str(answer["msg"]).removeprefix(INVALID)


def newest_of(listener: Listener, channel: str) -> int:
    """The number of a channel's newest frame, which a refusal tells."""
    return int(refused(listener, f"{channel}?from=999999").rpartition(" ")[2])
