"""A program's own state as a text of digests: equal texts mean that nothing of what is listed here has changed.

Looking changes nothing: values are read by exact type, an object's attributes from its stored dictionary.
Standard library only; runs on Python 3.8 to 3.14, inside the debuggee.
"""

# ruff: noqa: PERF203, BLE001, UP031  what cannot be read is left out
# ruff: noqa: PTH109, PTH110, PTH115, PTH118, PTH123, PTH208  called after every case: the shortest way to the system

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import decimal
import fcntl
import gc
import hashlib
import io
import itertools
import mmap
import operator
import os
import random
import resource
import signal
import struct
import sys
import termios
import threading
import types
import weakref

_OWN = (os, sys, random, gc, signal, decimal, operator, threading)
"""Modules whose names must keep the objects that they are bound to."""

_SIZED = {type(iter(x)) for x in ([], (), "", b"", {}, {}.values(), {}.items(), set(), range(0), reversed([]))}
_REDUCED = (map, filter, zip, enumerate, itertools.chain, itertools.count, itertools.islice, itertools.cycle)
_STATUS = ("Umask", "SigBlk", "SigIgn", "SigCgt", "SigPnd", "NoNewPrivs", "Seccomp")
_namespace_of = type.__dict__["__dict__"].__get__
_mro_of = type.__dict__["__mro__"].__get__


class State:
    """The state of this process; `folder` holds its files, `scene` its names."""

    def __init__(self, folder, scene, hits, received):
        self._folder = folder
        self._scene = scene
        self._hits = hits
        self._received = received
        self._last = {}
        self._now = {}
        self.text()  # imports what it needs, as numpy.random, before it counts

    def text(self):
        """`part=digest;part=digest;...`."""
        self._last, self._now = self._now, {}
        for name in ("files", "memory", "process", "children", "threads", "descriptors", "signals", "hits"):
            self._now[name] = getattr(self, "_" + name + "_lines")()
        digests = {name: hashlib.sha1(repr(lines).encode()).hexdigest()[:12] for name, lines in self._now.items()}  # noqa: S324  no secret
        return ";".join("{}={}".format(*pair) for pair in digests.items())

    def differs(self):
        """The first lines that differ between the last two texts."""
        found = []
        for name, lines in self._now.items():
            before = self._last.get(name, [])
            pairs = itertools.zip_longest(before, lines)
            found += [name + ": " + str(a)[:200] + " -> " + str(b)[:200] for a, b in pairs if a != b][:2]
        return " | ".join(found)

    def _files_lines(self):
        lines = []
        for folder, names, files in os.walk(self._folder):
            for name in sorted(names + files):
                path = os.path.join(folder, name)
                status = os.lstat(path)
                regular = (status.st_mode & 0o170000) == 0o100000
                content = b""
                if regular:
                    with open(path, "rb") as file:
                        content = file.read()
                lines.append((path, status.st_mode, status.st_mtime_ns, hashlib.sha1(content).hexdigest()))  # noqa: S324
        return sorted(lines)

    def _hits_lines(self):
        return list(self._hits)

    def _signals_lines(self):
        handlers = [repr(type(signal.getsignal(number))) for number in range(1, 32)]
        return [list(self._received), handlers, signal.getitimer(signal.ITIMER_REAL)[1] > 0, self._alarmed()]

    def _alarmed(self):
        return signal.getitimer(signal.ITIMER_REAL)[0] > 0

    def _children_lines(self):
        found = set()
        for task in os.listdir("/proc/self/task"):
            try:
                with open("/proc/self/task/" + task + "/children") as file:
                    found.update(file.read().split())
            except OSError:
                continue  # the thread has ended meanwhile
        return sorted(found)

    def _threads_lines(self):
        return sorted(os.listdir("/proc/self/task"))

    def _descriptors_lines(self):
        lines = []
        for number in sorted(map(int, os.listdir("/proc/self/fd"))):
            try:
                where = os.readlink("/proc/self/fd/%d" % number)
            except OSError:
                continue  # the listing's own
            lines.append((number, where, self._pending(number, where), self._offset(number, where)))
        return lines

    def _pending(self, number, where):
        """Bytes that wait in a pipe or socket of the scene's own; the debugger's talk is not its state."""
        if not where.startswith(("pipe:", "socket:")) and not where.startswith(self._folder):
            return 0
        if where.startswith("socket:") and number not in self._scene.get("sockets", ()):
            return 0
        try:
            return struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, b"\0" * 4))[0]
        except OSError:
            return -1

    def _offset(self, number, where):
        if not where.startswith(self._folder):
            return 0
        try:
            return os.lseek(number, 0, os.SEEK_CUR)
        except OSError:
            return 0

    def _process_lines(self):
        with open("/proc/self/status") as file:
            status = [line.strip() for line in file if line.split(":")[0] in _STATUS]
        limits = [resource.getrlimit(getattr(resource, name)) for name in ("RLIMIT_NOFILE", "RLIMIT_CPU", "RLIMIT_AS")]
        collector = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks), len(gc.garbage)
        own = [{name: id(x) for name, x in vars(module).items() if name[:1] != "_"} for module in _OWN]
        interpreter = sys.getrecursionlimit(), sys.getswitchinterval(), list(sys.path), sorted(sys.modules)
        flags = sorted(str(key) for key, is_set in decimal.getcontext().flags.items() if is_set)
        nice = os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0), os.getpgid(0)
        profile = id(sys.getprofile())
        names = [thread.name for thread in threading.enumerate() if "pydevd" not in thread.name]
        return [
            *status, limits, collector, own, interpreter, flags, nice, profile, names, os.getcwd(),
            sorted(os.environ.items()), random.getstate(), decimal.getcontext().prec, self._numpy(), self._protection(),
            os.path.exists("/dev/shm/" + str(self._scene.get("block_name"))),
        ]  # fmt: skip

    def _numpy(self):
        numpy = sys.modules.get("numpy")
        if not numpy:
            return []
        kind, keys, *rest = numpy.random.get_state()
        return [numpy.geterr(), kind, keys.tobytes(), rest, numpy.get_printoptions()]

    def _protection(self):
        """The protection of the pages that the scene names."""
        wanted = ["%x-" % address for address in self._scene.get("pages", ())]
        with open("/proc/self/maps") as file:
            return [line.split()[1] for line in file if any(line.startswith(start) for start in wanted)]

    def _memory_lines(self):
        seen = {}
        names = {name: x for name, x in self._scene.items() if name not in ("_real", "__builtins__", "cases")}
        return ["%s = %s" % (name, _written(x, seen, 0)) for name, x in sorted(names.items())]


def _written(x, seen, depth):
    """A text of all that an object stores."""
    cls = type(x)
    if cls in (int, float, complex, bool, str, bytes, type(None), range):
        return repr(x)
    if id(x) in seen or depth > 12:
        return cls.__name__
    seen[id(x)] = x  # alive, so that nothing else gets its id

    def parts(items):
        return cls.__name__ + "(" + ", ".join(_written(item, seen, depth + 1) for item in items) + ")"

    try:
        if cls in (list, tuple, collections.deque):
            return parts(list(x))
        if cls in (set, frozenset):
            return cls.__name__ + str(sorted(_written(item, seen, depth + 1) for item in list(x)))
        if cls is collections.OrderedDict:
            return parts(x.items())  # its order is not the order of the dict below it
        if issubclass(cls, dict):
            return parts(itertools.chain.from_iterable(dict.items(x))) + parts([_own_names(x)])
        special = _special(x, cls)
        if special is not None:
            return parts(special)
        return parts([_own_names(x), *_slots(x)])
    except Exception as error:
        return cls.__name__ + " unreadable " + type(error).__name__


def _reduced(x):
    """The parts of an iterator; those of itertools have had no `__reduce__` since Python 3.14."""
    try:
        return list(x.__reduce__()[1:])
    except TypeError:
        return [*gc.get_referents(x), repr(x)]


def _special(x, cls):
    """The parts of objects that store them outside of attributes."""
    if cls in (bytearray, array.array, memoryview):
        return [bytes(x)] if cls is not memoryview or x.contiguous else []
    if cls is mmap.mmap:
        return [] if x.closed else [x.tell(), x[:]]
    if issubclass(cls, (ctypes.Array, ctypes._SimpleCData, ctypes.Structure)):
        return [ctypes.string_at(ctypes.addressof(x), ctypes.sizeof(x))]
    if cls in _SIZED:
        return [operator.length_hint(x)]
    if cls in _REDUCED:
        return _reduced(x)
    if cls is types.GeneratorType:
        return [-1] if x.gi_frame is None else [x.gi_frame.f_lasti, dict(x.gi_frame.f_locals)]
    if cls is types.FunctionType:
        return [id(x.__code__), x.__defaults__, x.__kwdefaults__, x.__dict__]
    if cls is types.ModuleType:
        return []
    if issubclass(cls, type):
        return [{k: v for k, v in list(_namespace_of(x).items()) if _from_scene(x) and type(k) is str}]
    if cls in (weakref.ref, weakref.ReferenceType):
        return [x() is None]
    if cls is contextvars.ContextVar:
        return [x.get(None)]
    if cls is random.Random:
        return [x.getstate()]
    if cls in (io.StringIO, io.BytesIO):
        return [x.tell(), x.getvalue()]
    if cls in (io.BufferedReader, io.BufferedWriter, io.FileIO):
        return [x.closed, -1 if x.closed or not x.seekable() else x.tell()]
    if cls is io.TextIOWrapper:
        return [x.closed, x.buffer]
    return _library(x, cls)


def _library(x, cls):
    name = cls.__module__ + "." + cls.__name__
    if name == "numpy.ndarray":
        return [x.flags.writeable, str(x.shape), x.tolist() if x.dtype.hasobject else x.tobytes()]
    if name.startswith("pandas.") and "_mgr" in (_own_names(x) or {}):
        manager = _own_names(x)["_mgr"]
        return [str(axis.tolist()) for axis in manager.axes] + [str(block.values) for block in manager.blocks]
    if name.startswith("pandas."):
        return []  # its indexes keep caches
    if name == "functools._lru_cache_wrapper":
        return [str(x.cache_info())]
    if name == "socket.socket":
        return [x.fileno()]
    if name == "sqlite3.Connection":
        return [x.total_changes]
    if name == "_hashlib.HASH":
        return [x.hexdigest()]
    return None


def _from_scene(cls):
    return _namespace_of(cls).get("__module__") == "scene"


def _own_names(x):
    for base in _mro_of(type(x)):
        found = _namespace_of(base).get("__dict__")
        if type(found) is types.GetSetDescriptorType:
            try:
                return dict(found.__get__(x))
            except TypeError:
                continue
    return None


def _slots(x):
    values = []
    for base in _mro_of(type(x)):
        if not _from_scene(base):
            continue
        for name, found in sorted(_namespace_of(base).items(), key=lambda pair: str(pair[0])):
            if type(found) is types.MemberDescriptorType and not name.startswith("__"):
                try:
                    values.append(found.__get__(x))
                except AttributeError:
                    values.append("unset")
    return values
