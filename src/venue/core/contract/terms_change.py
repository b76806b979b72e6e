"""The record of a change of terms that is under way; see `changed_terms`."""

from __future__ import annotations


class TermsChange:
    """A change of terms under way (rule 1.7): owners with uids from `next` on are still to be held
    against it. The default leverage was `default` before. So far `ended` orders of `owners` have
    ended, and `kept` positions have stayed on former tiers."""

    __slots__ = ("default", "ended", "kept", "next", "owners")

    def __init__(self, default: int) -> None:
        self.default = default
        self.next = 1
        self.ended = self.owners = self.kept = 0
