"""Two threads each hold the lock that the other one wants. Never ends by itself."""

import threading

left, right = threading.Lock(), threading.Lock()
holding = threading.Barrier(3)


def grab(first, second):
    with first:
        holding.wait(timeout=60)
        with second:  # @bp blocked
            print("never printed", flush=True)


eaters = [
    threading.Thread(target=grab, args=(left, right), name="eats with left", daemon=True),
    threading.Thread(target=grab, args=(right, left), name="eats with right", daemon=True),
]
for eater in eaters:
    eater.start()
holding.wait(timeout=60)
print("deadlocked", flush=True)  # @bp
for eater in eaters:
    eater.join()
