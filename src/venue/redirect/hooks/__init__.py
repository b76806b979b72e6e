"""Start-up hooks of Python (`sitecustomize`) and node (`hook.cjs`). They know no other package."""
