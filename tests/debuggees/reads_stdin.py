"""Reads bytes from stdin to their end and says what they were."""

import hashlib
import sys

first = sys.stdin.buffer.readline()
print("first", len(first), flush=True)  # @bp
rest = sys.stdin.buffer.read()
print("rest", len(rest), hashlib.sha256(first + rest).hexdigest(), flush=True)
