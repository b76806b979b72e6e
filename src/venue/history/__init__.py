"""History, which is not kept in memory: tables, projector, queries. May import journal and core."""
