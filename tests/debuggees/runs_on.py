"""Runs until it is ended."""

import time

while True:
    time.sleep(0.02)  # @bp
