"""Stops while it holds the lock of its own `os.getcwd`, `time.perf_counter` and `gc.isenabled`."""

import gc
import os
import threading
import time

LOCK = threading.Lock()


def locked(plain):
    def call(*args):
        with LOCK:
            return plain(*args)

    return call


def main():
    here = os.getcwd()
    os.getcwd, time.perf_counter, gc.isenabled = map(locked, (os.getcwd, time.perf_counter, gc.isenabled))
    with LOCK:
        stop = 1  # @bp
    print('RESULT {"cwd": %d}' % (os.getcwd() == here and stop), flush=True)


main()
