"""A program with a child process: `family.py spawn|fork` by multiprocessing, `family.py orphan` leaves it behind
when it hears a line."""

import multiprocessing
import subprocess
import sys


def share(total, parts):
    rest = total % parts
    return total // parts + rest


def main(how):
    if how == "orphan":
        quiet = subprocess.DEVNULL  # a pipe that it held open would keep the parent's session waiting
        subprocess.Popen([sys.executable, __file__, "alone"], stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603
        sys.stdin.readline()
        return
    if how == "alone":
        share(7, 2)
        return
    context = multiprocessing.get_context(how)
    child = context.Process(target=share, args=(7, 2))
    child.start()
    child.join()
    print("joined", child.exitcode)


if __name__ == "__main__":
    main(sys.argv[1])
