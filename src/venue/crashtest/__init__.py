"""The crash test for bots: incidents that a program lives through, judged by the venue's ledger."""
