"""`memory_scenes.py NAME [FOLDER]` sets a scene of shared memory, stops, and tells what a look has changed of it.

Standard library only, but for `numpy_fork`.
"""

import ctypes
import mmap
import os
import struct
import sys
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
FOLDER = sys.argv[2] if len(sys.argv) > 2 else ""
LARGE = 200 << 20
PAGE = mmap.PAGESIZE
USERFAULTFD = {"x86_64": 323, "aarch64": 282}.get(os.uname().machine, 0)
USER_MODE_ONLY, FORK_EVENTS = 1, 2
API, REGISTER, SERVE = 0xC018AA3F, 0xC020AA00, 0xC028AA03
FAULTED = 0x12

kept = {}
served = threading.Event()


def address(memory):
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def pages_there(memory):
    """How many pages the kernel has of it."""
    there = ctypes.create_string_buffer(len(memory) // PAGE)
    assert LIBC.mincore(ctypes.c_void_p(address(memory)), ctypes.c_size_t(len(memory)), there) == 0
    return there.raw.count(b"\1")


def sparse():
    """200 MB of which one page is used; a program that counts on the rest being free."""
    memory = kept["memory"] = mmap.mmap(-1, LARGE)
    memory[LARGE // 2] = 7
    kept["count"] = lambda: pages_there(memory)


def sparse_files():
    """Two blocks in a folder of memory, together larger than it; each is used in part."""
    files = kept["files"] = [open(os.path.join(FOLDER, name), "w+b") for name in ("one", "other")]
    for file in files:
        file.truncate(48 << 20)
    maps = kept["maps"] = [mmap.mmap(file.fileno(), 48 << 20) for file in files]
    for memory in maps:
        memory[PAGE * 5] = 7
    maps[1][: 20 << 20] = b"x" * (20 << 20)
    os.unlink(files[1].name)
    files.pop().close()
    kept["count"] = lambda: [os.fstat(kept["files"][0].fileno()).st_blocks] + [pages_there(each) for each in maps]


def file():
    """A file on a disk, mapped in three ways: as it is, from its third page on, and after it was closed."""
    path = os.path.join(FOLDER, "data")
    with open(path, "w+b") as data:
        data.write(b"".join(bytes((number,)) * PAGE for number in range(64)))
        data.truncate(300 << 20)
        data.flush()
        kept["whole"] = mmap.mmap(data.fileno(), 300 << 20)
        kept["part"] = mmap.mmap(data.fileno(), 10 * PAGE - 5, offset=3 * PAGE)
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    fd = os.open(path, os.O_RDWR)
    kept["closed"] = (ctypes.c_char * (60 * PAGE)).from_address(LIBC.mmap(None, 60 * PAGE, 3, 1, fd, 2 * PAGE))
    os.close(fd)
    kept["count"] = lambda: (os.stat(path).st_blocks, kept["whole"][0], kept["part"][0], kept["closed"][0])


def _serve(features=0, private=False):
    """Memory whose pages are made when they are used: by a thread that stands still at the breakpoint."""
    fd = kept["userfaultfd"] = LIBC.syscall(USERFAULTFD, os.O_CLOEXEC | USER_MODE_ONLY)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    hello = ctypes.create_string_buffer(struct.pack("=QQQ", 0xAA, features, 0))
    assert LIBC.ioctl(fd, ctypes.c_ulong(API), hello) == 0, os.strerror(ctypes.get_errno())
    flags = mmap.MAP_ANONYMOUS | (mmap.MAP_PRIVATE if private else mmap.MAP_SHARED)
    memory = kept["memory"] = mmap.mmap(-1, 16 * PAGE, flags=flags)
    wanted = ctypes.create_string_buffer(struct.pack("=QQQQ", address(memory), len(memory), 1, 0))
    assert LIBC.ioctl(fd, ctypes.c_ulong(REGISTER), wanted) == 0, os.strerror(ctypes.get_errno())
    kept["count"] = lambda: pages_there(memory)
    kept["finish"] = _finish_serving


def _finish_serving():
    """What the program reads where its handler has something to say."""
    fd, memory = kept["userfaultfd"], kept["memory"]
    page = ctypes.create_string_buffer(b"served".ljust(PAGE, b"."), PAGE)

    def handle():
        message = os.read(fd, 32)
        at = struct.unpack_from("=Q", message, 16)[0] & -PAGE
        assert message[0] == FAULTED
        answer = ctypes.create_string_buffer(struct.pack("=QQQQq", at, ctypes.addressof(page), PAGE, 0, 0))
        assert LIBC.ioctl(fd, ctypes.c_ulong(SERVE), answer) == 0, os.strerror(ctypes.get_errno())

    handler = threading.Thread(target=handle, daemon=True)
    handler.start()
    first = ctypes.create_string_buffer(6)
    LIBC.memcpy(first, ctypes.c_void_p(address(memory)), ctypes.c_size_t(6))  # without the interpreter's lock
    return first.raw


def served_memory():
    """Shared."""
    _serve()


def served_private_memory():
    """Of its own."""
    _serve(private=True)


def told_of_forks():
    """The handler is told of each fork, and whoever forks waits until it has heard of it."""
    _serve(FORK_EVENTS)
    kept["finish"] = lambda: b"served"  # a fork


def served_by_another():
    """Another process has the descriptor."""
    _serve()
    there, here = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        os.read(there, 1)
        os._exit(0)
    os.close(there)
    os.close(kept["userfaultfd"])
    kept["finish"] = lambda: (os.close(here), os.waitpid(child, 0), b"served")[2]


def numpy_fork():
    """A fork ends the threads of numpy's library."""
    import multiprocessing

    import numpy

    a = kept["a"] = numpy.ones((300, 300))
    a @ a
    child = multiprocessing.get_context("fork").Process(target=int)
    child.start()
    child.join()
    kept["count"] = child.is_alive


def stop():
    x = 6
    return x  # @bp


def main(scene):
    globals()[scene]()
    before = kept["count"]()
    stop()
    after = kept["count"]()
    sys.stdout.write("traces: " + str([] if after == before else [before, after]) + "\n")
    sys.stdout.write(kept.get("finish", bytes)().decode() + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
