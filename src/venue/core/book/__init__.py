"""One price-time book, its orders, and the market it belongs to. It knows no money."""
