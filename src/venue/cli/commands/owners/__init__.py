"""Commands of an owner: its orders, money, streams and programs."""
