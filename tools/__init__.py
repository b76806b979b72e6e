"""The project's work on itself: compiling the core, writing documents."""
