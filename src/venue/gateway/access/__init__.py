"""Access control: keys, signatures, budgets, connections, operators."""
