"""Tells how many children it has, on the line after the breakpoint: also those that nobody has waited for."""

import os


def forever():
    while True:
        pass


def children():
    """Processes whose parent this one is."""
    found = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            found += parent == os.getpid()
    return found


def main():
    balance = 100
    balance += 0  # @bp
    print("children", children(), flush=True)
    print("balance", balance, flush=True)


main()
