"""The parts that tests of a running venue share: a server process and a client that signs."""
