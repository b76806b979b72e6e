"""What the project does to itself: compiling the core, writing documents."""
