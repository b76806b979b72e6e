"""The records of a running change of terms, and of a contract's end; see `changed_terms` and
`delisting`."""

from __future__ import annotations


class TermsChange:
    """A running change of terms (rule 1.7): owners with uids from `next` on are still to be checked
    against it. The default leverage was `default` before. So far `ended` orders of `owners` have
    ended, and `kept` positions have stayed on former tiers."""

    __slots__ = ("default", "ended", "kept", "next", "owners")

    def __init__(self, default: int) -> None:
        self.default = default
        self.next = 1
        self.ended = self.owners = self.kept = 0


class DelistingTerms:
    """The end of a contract (rule 1.8). It settles at `price` (ticks); 0: no price was set yet, and
    its orders only reduce. Longs and shorts are closed from the ids `long` and `short` on; `lots`
    of each are closed so far, and `done` says that all are."""

    __slots__ = ("done", "long", "lots", "price", "short")

    def __init__(self) -> None:
        self.price = 0
        self.long = self.short = 0
        self.lots = 0
        self.done = False

    def under_way(self) -> bool:
        """Return whether positions are still to be closed at its price."""
        return self.price > 0 and not self.done

    def numbers(self) -> list[int]:
        """Return all fields, as a snapshot stores them."""
        return [self.price, self.long, self.short, self.lots, int(self.done)]
