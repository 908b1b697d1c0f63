"""Fails in ways at which debugpy itself does not stop; argument: `exit`, or the folder of a module that is wrong."""

import sys
import threading


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


if "exit" in sys.argv:
    sys.exit("nothing to do")
sys.path.insert(0, sys.argv[1])
sys.excepthook = lambda kind, value, tb: print("own hook:", kind.__name__)
in_thread(deep, -1)
in_thread(lambda: Account().balance)
in_thread(hang, [])
in_thread(load)
File()
print("nearly done", flush=True)
deep(0.5)
