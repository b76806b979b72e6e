"""What no longer lives in memory: tables, projector, queries. May know journal and core."""
