"""One thread raises while another waits for it and the main thread joins both."""

import threading

done = threading.Event()
results = []


def waits(name):
    arrived = done.wait(timeout=60)
    results.append((name, arrived))


def raises(numbers):
    try:
        share = sum(numbers) / len(numbers)  # @bp
        results.append(("share", share))
    finally:
        done.set()


threads = [
    threading.Thread(target=waits, args=("patient",), name="patient"),
    threading.Thread(target=raises, args=([],), name="hasty"),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("results", results, flush=True)
