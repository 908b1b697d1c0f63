"""Fails in ways at which debugpy itself does not stop; argument: `exit`, or the folder of a module that is wrong."""

import asyncio
import atexit
import io
import sys
import threading
import unittest


class File:
    def __del__(self):
        self.handle.close()  # never opened


class Account:
    @property
    def balance(self):
        return self.balance


def deep(n):
    if n == 0:
        return 0
    return 1 + deep(n - 1)


def in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()


def hang(done):
    while not done:
        if threading.current_thread() is not threading.main_thread():
            raise KeyboardInterrupt  # as Ctrl-C would


def load():
    import unclosed


def room(n):
    return bytearray(n * n)


async def item(items, index):
    return items[index]


async def forget_a_task():
    asyncio.ensure_future(item([1, 2], 5))
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def collect(rows):
    errors = []
    for row in rows:
        try:
            int(row)
        except ValueError as error:
            errors.append(error)
    raise ExceptionGroup("bad rows", errors)


class Slugs(unittest.TestCase):
    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual("A", "a")

    def test_words(self):
        words = "A b".split()
        self.assertEqual(len(words), 3)


def close(connections):
    connections["db"].close()


if "exit" in sys.argv:
    sys.exit("nothing to do")
sys.path.insert(0, sys.argv[1])
sys.excepthook = lambda kind, value, tb: print("own hook:", kind.__name__)
in_thread(deep, -1)
in_thread(lambda: Account().balance)
in_thread(hang, [])
in_thread(load)
in_thread(room, 10**9)
asyncio.run(forget_a_task())
unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Slugs))
if sys.version_info >= (3, 11):
    in_thread(collect, ["1", "x"])
atexit.register(close, {})
File()
print("nearly done", flush=True)
deep(0.5)
