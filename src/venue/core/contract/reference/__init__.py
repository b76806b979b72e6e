"""Reference prices of a contract: index, mark, and the funding rate they give."""
