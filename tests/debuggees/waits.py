"""Says its process id and counts until it is told to stop by a line on stdin: to attach to by pid."""

import os
import sys
import threading

stop = threading.Event()


def listen():
    sys.stdin.readline()
    stop.set()


def tick(count):
    stop.wait(0.01)
    return count + 1  # @bp


threading.Thread(target=listen, name="listener", daemon=True).start()
print("pid", os.getpid(), flush=True)
ticks = 0
while not stop.is_set():
    ticks = tick(ticks)
print("stopped", flush=True)
