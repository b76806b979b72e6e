"""The words of each field of the interface, with its unit and an example; knows nothing."""
