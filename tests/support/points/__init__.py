"""Every write as a point at which a venue ends, or its disk fails: run by hand and in part."""
