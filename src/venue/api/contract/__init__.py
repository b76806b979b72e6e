"""The rows of the contract market."""
