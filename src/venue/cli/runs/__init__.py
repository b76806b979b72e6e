"""Commands on runs that are files: bundles, and stopped venues' journals."""
