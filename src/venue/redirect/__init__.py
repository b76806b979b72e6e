"""Redirects a command's connections from the exchange to a venue. It knows `practice` and
`gateway`."""
