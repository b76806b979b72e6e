"""Commands that tell what happened on a running venue, and why."""
