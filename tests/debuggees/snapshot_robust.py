"""A debuggee with all that a copy could disturb; its last line tells what has reached it."""

import asyncio
import logging
import mmap
import multiprocessing
import os
import random
import signal
import socket
import sys
import threading
import time

events = []
for when in ("before", "after_in_child", "after_in_parent"):
    os.register_at_fork(**{when: lambda when=when: events.append(when)})


def spin(stop):
    """Allocates without pause, so that locks of malloc are held when a copy is made."""
    while not stop.is_set():
        bytes(200_000)


def hold(lock, taken, go_on):
    """Has the lock of logging, which its handlers of a fork want."""
    with lock:
        taken.set()
        go_on.wait(60)


def wait_for_children(go_on, seen):
    """Receives every child that ends."""
    while not go_on.is_set():
        try:
            seen.append(os.wait()[0])
        except ChildProcessError:
            time.sleep(0.001)


async def on_a_loop(shared, go_on):
    taken = threading.Event()
    threading.Thread(target=hold, args=(logging._lock, taken, go_on), daemon=True).start()
    taken.wait(60)
    loop = asyncio.get_running_loop()
    left, right = socket.socketpair()
    text = open(__file__)
    text.read(10)
    here = "in a coroutine"
    shared[0] = 1
    return loop.time() and here  # @bp


def main():
    signal.signal(signal.SIGCHLD, lambda *_: events.append("SIGCHLD"))
    go_on = threading.Event()
    seen = []
    threads = [threading.Thread(target=wait_for_children, args=(go_on, seen), daemon=True)]
    threads += [threading.Thread(target=spin, args=(go_on,), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    shared = mmap.mmap(-1, 8192)
    random.seed(7)
    random_state = random.getstate()
    asyncio.run(on_a_loop(shared, go_on))
    go_on.set()
    for thread in threads:
        thread.join()
    same = random.getstate() == random_state
    print(events, seen, shared[0], same, flush=True)


main()
