"""Who may come in: keys, signatures, budgets, connections, operators."""
