"""The interface as data: operations, errors, signing. Imports `venue.terms` and msgspec only."""
