"""The interface as data: operations, errors, signing. It imports vocabulary and msgspec only."""
