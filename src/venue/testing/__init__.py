"""The pytest plugin: a venue for each test, with its clock, its faults and stock clients."""
