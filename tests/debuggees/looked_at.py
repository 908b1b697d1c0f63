"""Says what an observer of this process could notice of being looked at; each scene stops at a marked line of its own."""

import collections
import gc
import importlib.util
import json
import os
import sys
import tempfile
import threading
import time
import weakref

caller = sys._getframe
counts = collections.Counter()
log = []


class Counting(object):
    """A function's replacement, as a mock is one."""

    def __init__(self, name, plain):
        self.name, self.plain = name, plain

    def __call__(self, *args, **kwargs):
        if caller(1).f_globals.get("__name__", "").startswith(("dap_ai", "_dap_ai")) or self.name in QUIET:
            counts[self.name] += 1
        return self.plain(*args, **kwargs)


REPLACED = """os.getcwd os.fspath os.fsencode os.uname os.stat os.sysconf posix.getcwd posix.getpid time.perf_counter
    time.monotonic time.time json.dumps json.loads gc.disable gc.isenabled gc.enable gc.get_count sys._getframe
    sys._current_frames sys.getsizeof threading.get_ident threading.current_thread threading.enumerate _thread.get_ident
    posixpath.isdir posixpath.basename posixpath.dirname _asyncio._get_running_loop binascii.a2b_base64 zlib.decompress
    re.compile warnings.filterwarnings warnings.catch_warnings builtins.len builtins.isinstance builtins.getattr
    builtins.repr builtins.compile builtins.exec builtins.__import__ builtins.open linecache.getline struct.pack
    marshal.loads importlib.import_module inspect.getattr_static ctypes.get_errno operator.add itertools.chain"""
QUIET = set(REPLACED.split()) - set(
    """posix.getpid time.time time.monotonic threading.get_ident threading.current_thread threading.enumerate
    _thread.get_ident builtins.len builtins.isinstance builtins.getattr builtins.repr builtins.open os.fspath os.stat
    sys._getframe builtins.__import__ builtins.compile re.compile builtins.exec linecache.getline posixpath.basename
    posixpath.dirname""".split()
)
"""What debugpy itself does not call at a stop: each call of these counts, of the others those of injected code."""


class Entry(object):
    """An entry of sys.path that is no string."""

    def __fspath__(self):
        counts["__fspath__"] += 1
        return "/nowhere"


class Told(object):
    """Tells when it goes."""

    def __init__(self, name):
        self.name = name

    def __del__(self):
        log.append(self.name + " is gone")


def replaced_functions():
    import _asyncio  # noqa: F401

    found = []
    for name in REPLACED.split():
        module, _, name = name.rpartition(".")
        module = importlib.import_module(module)
        plain = getattr(module, name, None)
        if plain is not None:
            found.append((module, name, plain))
    for module, name, plain in found:
        setattr(module, name, Counting(module.__name__ + "." + name, plain))
    sys.path.append(Entry())
    try:
        stop = "functions"  # @bp functions
    finally:
        sys.path.pop()
        for module, name, plain in found:
            setattr(module, name, plain)
    return stop


def lazy_modules(folder):
    for name in ("a_lazy_one", "subprocess_lazy"):
        path = os.path.join(folder, name + ".py")
        with open(path, "w") as file:
            file.write("import builtins\nbuiltins.lazily = getattr(builtins, 'lazily', []) + [__name__]\n")
        spec = importlib.util.spec_from_file_location(name, path)
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    instead, sys.modules["_asyncio"] = sys.modules.get("_asyncio"), sys.modules["a_lazy_one"]
    beside, sys.modules["subprocess"] = sys.modules.get("subprocess"), sys.modules["subprocess_lazy"]
    local = sys.modules["a_lazy_one"]
    stop = local is not None  # @bp lazy
    for name, module in (("_asyncio", instead), ("subprocess", beside)):
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module
    return stop


def finalizers():
    first, second, third = Told("first"), Told("second"), Told("third")
    watched = weakref.ref(second, lambda _: log.append("callback"))
    cycle = Told("cycle")
    cycle.me = cycle
    del cycle
    log.append("stop")  # @bp finalizers
    del first
    log.append("after first")
    second = None
    log.append("after second")
    return watched() is None and third is not None


def names():
    taken = locals()
    later = 5  # @bp names
    return sorted(taken), later


class Thing(object):
    pass


def counted():
    things = [Thing(), Thing(), Thing()]
    before = collections.Counter(type(x).__name__ for x in gc.get_objects() if type(x).__module__ == "__main__")
    del things[1]  # @bp counted
    after = collections.Counter(type(x).__name__ for x in gc.get_objects() if type(x).__module__ == "__main__")
    return [sorted(before.items()), sorted(after.items())]


def main():
    gc.disable()
    gc.collect()
    modules = set(sys.modules)
    result = {"counted": counted(), "names": names()}
    gc.enable()
    gc.collect()
    result["finalizers"] = finalizers()
    log.append("after all")
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        lazy_modules(folder)
    import builtins

    result["lazily loaded"] = getattr(builtins, "lazily", [])
    replaced_functions()
    new = set(sys.modules) - modules - {"a_lazy_one", "subprocess_lazy"}
    result.update(log=log, counts=sorted(counts.items()), modules=sorted(new), collecting=gc.isenabled())
    result["threads"] = sorted(thread.name for thread in threading.enumerate() if not thread.daemon)
    result["slept"] = time.sleep(0)
    print("RESULT " + json.dumps(result, sort_keys=True), flush=True)


if __name__ == "__main__":
    main()
