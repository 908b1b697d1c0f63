"""A parent and its forked child both go on; the parent waits for the child."""

import os
import sys


def child(number):
    print("child", number * 2, flush=True)  # @bp child
    os._exit(3)


pid = os.fork()
if pid == 0:
    child(21)
_, status = os.waitpid(pid, 0)
code = os.WEXITSTATUS(status)
print("parent", code, flush=True)  # @bp parent
sys.exit(0 if code == 3 else 1)
