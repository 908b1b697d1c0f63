"""Writes every byte to stdout and, backwards, to stderr; neither is text."""

import sys

data = bytes(range(256)) * 4
sys.stdout.buffer.write(data)
sys.stdout.buffer.flush()
sys.stderr.buffer.write(data[::-1])
sys.stderr.buffer.flush()
sys.exit(0)  # @bp
