"""The perpetual contracts: state, trading, margin and conditional orders."""
