"""The rows of the table of operations as methods for asyncio."""
