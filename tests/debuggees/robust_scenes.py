"""`robust_scenes.py NAME` (or NAME+NAME) sets a scene that a copy could hang in or disturb, stops, and tells what has reached it.

Standard library only.
"""

import asyncio
import builtins
import concurrent.futures
import ctypes
import logging
import mmap
import multiprocessing
import os
import resource
import signal
import struct
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
NO_NEW_PRIVILEGES, SECCOMP, SUBREAPER = 38, 22, 36
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
LANDLOCK, PIDFD_GETFD = 444, 438
CLONE, READ_PROCESS, MOUNT, SECCOMP_CALL = {"x86_64": (56, 310, 165, 317), "aarch64": (220, 270, 40, 277)}.get(
    os.uname().machine, (0, 0, 0, 0)
)
LISTEN, LISTENER = 0x7FC00000, 8
ENOUGH_S = 30

go_on = threading.Event()
threads = []
traces = []
kept = {}


def side(work, *arguments):
    """Runs beside the main thread, to the end of the program."""
    threads.append(threading.Thread(target=work, args=arguments, daemon=True))
    threads[-1].start()


def held_locks():
    """A thread holds logging's lock, another one the lock of standard output's buffer."""
    taken = threading.Barrier(2)

    def hold(lock):
        with lock:
            taken.wait(ENOUGH_S)
            go_on.wait(ENOUGH_S)

    kept["lock"] = threading.Lock()
    for lock in (logging._lock, kept["lock"]):
        side(hold, lock)
        taken.wait(ENOUGH_S)


def busy_malloc():
    """A thread in C code that holds the lock of libc's allocator most of the time."""
    LIBC.mallopt(-8, 1)  # M_ARENA_MAX
    size = 1 << 22
    kept["sorted"] = (ctypes.c_char * size)()
    side(LIBC.qsort, kept["sorted"], ctypes.c_size_t(size), ctypes.c_size_t(1), LIBC.malloc_trim)  # it compares


def pools():
    """Children of multiprocessing, forked and spawned, that wait for work; a manager."""
    kept["pools"] = [multiprocessing.get_context(how).Pool(1) for how in ("fork", "spawn")]
    kept["manager"] = multiprocessing.Manager()
    kept["shared"] = kept["manager"].dict(a=1)
    kept["value"] = multiprocessing.Value("i", 3)
    assert [pool.apply(abs, (-4,)) for pool in kept["pools"]] == [4, 4]


def executor():
    """A loop that waits for a thread of its executor."""

    async def wait():
        await asyncio.get_running_loop().run_in_executor(None, go_on.wait, ENOUGH_S)

    side(asyncio.run, wait())
    kept["executor"] = concurrent.futures.ThreadPoolExecutor(2)
    kept["future"] = kept["executor"].submit(go_on.wait, ENOUGH_S)


def many_descriptors():
    """2,000 open files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    kept["files"] = [open(os.devnull) for _ in range(2000)]


def few_descriptors():
    """A limit with room for two more."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 2, hard))


def no_descriptors():
    """The limit is reached."""
    few_descriptors()
    kept["files"] = []
    while True:
        try:
            kept["files"].append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return


def _limit_memory(more):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))


def limited_memory():
    """64 MB of address space are left."""
    _limit_memory(64 << 20)


def little_memory():
    """Almost no address space is left."""
    _limit_memory(12 << 20)


def no_new_privileges():
    """As a sandbox does it."""
    assert LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0


def _filter(number, answer):
    """A seccomp filter of one system call."""
    no_new_privileges()
    rows = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, answer), (0x06, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))
    head = ctypes.create_string_buffer(struct.pack("=H6xQ", len(rows), ctypes.addressof(code)))
    if answer == LISTEN:
        kept["listener"] = LIBC.syscall(SECCOMP_CALL, 1, LISTENER, head)
        assert kept["listener"] >= 0
    else:
        assert LIBC.prctl(SECCOMP, 2, head, 0, 0) == 0


def filter_refuses_landlock():
    """As a container may do it."""
    _filter(LANDLOCK, REFUSE)


def filter_kills_for_landlock():
    """As a service may do it: who makes a call that is not listed is killed."""
    _filter(LANDLOCK, KILL)


def filter_refuses_clone():
    """No thread and no process can be made."""
    _filter(CLONE, REFUSE)


def filter_refuses_pidfd_getfd():
    """As a container does it: no process takes a descriptor of another one."""
    _filter(PIDFD_GETFD, REFUSE)


def filter_refuses_process_vm_readv():
    """Nor does it read another one's memory."""
    _filter(READ_PROCESS, REFUSE)


def filter_listens():
    """As a container may do it: some calls are answered by somebody outside."""
    _filter(MOUNT, LISTEN)


def another_user():
    """It was root and is nobody: its own /proc is closed to it."""
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def subreaper():
    """Orphans become its children."""
    assert LIBC.prctl(SUBREAPER, 1, 0, 0, 0) == 0


def ignored_children():
    """SIGCHLD is ignored, and alarms come every millisecond."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, lambda *_: kept.update(alarmed=True))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def tampered():
    """Names that much code relies on mean something else."""
    for module, name in ((builtins, "open"), (builtins, "print"), (os, "_exit"), (os, "kill"), (os, "waitpid")):
        setattr(module, name, lambda *_, name=name: traces.append(name))
    sys.modules["tempfile"] = sys.modules["socket"] = None


def many_threads():
    """100 threads, half of them busy."""

    def sleep_again(seconds):
        while not go_on.is_set():
            time.sleep(seconds)

    for number in range(100):
        side(go_on.wait if number % 2 else sleep_again, ENOUGH_S if number % 2 else 0.1)


def shared_mappings():
    """Shared memory of all kinds: anonymous, of a file, of another process, read-only, inaccessible."""
    import tempfile

    file = kept["file"] = tempfile.TemporaryFile()
    file.write(b"ab" * 5000)
    file.flush()
    kept["maps"] = [
        mmap.mmap(-1, 1 << 16),
        mmap.mmap(file.fileno(), 10_000),
        mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ),
        mmap.mmap(-1, 4096, prot=0),
    ]


def big():
    """A gigabyte in use."""
    kept["bytes"] = bytearray(1 << 30)
    kept["bytes"][:: mmap.PAGESIZE] = b"x" * len(range(0, 1 << 30, mmap.PAGESIZE))


def numbers(count):
    return sum(range(count))


def stop():
    x = 6
    return x  # @bp


def main(scene):
    for when in ("before", "after_in_child", "after_in_parent"):
        os.register_at_fork(**{when: lambda when=when: kept.get("hooked", traces).append(when)})
    kept["hooked"] = []  # what the scene itself forks
    output, end = sys.stdout.write, os._exit
    for part in scene.split("+"):
        globals()[part]()
    del kept["hooked"]
    stop()
    signal.setitimer(signal.ITIMER_REAL, 0)
    go_on.set()
    for pool in kept.get("pools", ()):
        pool.terminate()
    if "manager" in kept:
        kept["manager"].shutdown()
    output("traces: " + str(traces) + "\n")
    sys.stdout.flush()
    end(0)


if __name__ == "__main__":
    main(sys.argv[1])
