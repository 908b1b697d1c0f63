"""Has its own idea of what Ctrl-C means: it counts."""

import signal
import sys

presses = []


def on_interrupt(number, frame):
    presses.append(number)


signal.signal(signal.SIGINT, on_interrupt)
print("ready", flush=True)  # @bp
sys.stdin.readline()
print("presses", len(presses), flush=True)
