"""A helper process that hangs: it takes what it is sent and says nothing."""

import sys

if __name__ == "__main__":
    while sys.stdin.buffer.read(1):
        pass
