"""The crash test for bots: runs a bot through incidents and judges it by the venue's ledger."""
