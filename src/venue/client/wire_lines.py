"""Entries of a venue's wire log as lines for a person."""

from __future__ import annotations

from typing import Any

from venue.client.defaults import DEFAULT_URL
from venue.times import US_PER_MS, instant_text


def line(entry: dict[str, Any], url: str) -> str:
    """Return an entry in a line, or two with the command that repeats it."""
    kind = entry["kind"]
    moment = instant_text(entry["time"] * US_PER_MS)
    words = [str(entry["number"]), moment, entry["owner"] or "-"]
    if kind in ("HEARD", "SENT"):
        words += ["<-" if kind == "HEARD" else "->", entry["text"]]
    else:
        words += [entry["operation"] or f"{entry['method']} {entry['path']}"]
        words += [str(entry["status"] or "lost"), f"{entry['ms']:.1f} ms"]
        if entry["code"]:
            words += [str(entry["code"]), entry["msg"]]
    if entry["fault"]:
        words += [f"fault {entry['fault']}"]
    lines = ["  ".join(words)]
    if entry["repeat"]:
        elsewhere = f" --url {url}" if url != DEFAULT_URL else ""
        lines.append(f"    {entry['repeat']}{elsewhere}")
    return "\n".join("".join(one if one.isprintable() else "?" for one in line) for line in lines)
