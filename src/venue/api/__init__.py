"""The interface as data: operations, errors, signing. Imports msgspec only."""
