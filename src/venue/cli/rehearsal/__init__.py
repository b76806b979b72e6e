"""Commands that start a venue of their own for a rehearsal: scenarios, crash tests of bots."""
