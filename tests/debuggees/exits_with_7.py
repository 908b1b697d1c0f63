"""Ends without an error, but not with 0."""

import sys

reason = "nothing to do"
print(reason, flush=True)  # @bp
sys.exit(7)
