"""Prints as many lines as its argument says, then fails."""

import sys

count = int(sys.argv[1])
for number in range(count):
    print("%07d %s" % (number, "o" * 56))
sys.stdout.flush()
raise RuntimeError("after %d lines" % count)  # @bp
