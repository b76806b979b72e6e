"""Programs as their projects publish them, run unchanged under `venue with`; by hand."""
