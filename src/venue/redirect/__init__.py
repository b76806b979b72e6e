"""Leads a command's connections to the exchange to a venue. It knows `practice` and `gateway`."""
