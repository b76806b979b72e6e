"""The engine's refusals in the interface's codes and words."""
