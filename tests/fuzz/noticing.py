"""Random programs that notice whatever is done to them: finalizers, weak references, cycles, replaced functions."""

from __future__ import annotations

import random

SCENES = 3
_PRELUDE = '''
import collections, contextvars, gc, importlib.util, json, os, sys, threading, time, weakref
import _asyncio, binascii, ctypes, inspect, linecache, struct, types, warnings, zlib

log, counts, lazies = [], collections.Counter(), []
LOCK = threading.Lock()
caller = sys._getframe
modules = set(sys.modules)

class Told(object):
    def __init__(self, name):
        self.name = name
    def __del__(self):
        log.append(self.name + " is gone")

class Slotted(object):
    __slots__ = ("part", "__weakref__")
    def __init__(self, part):
        self.part = part

class Touchy(object):
    def __init__(self, part):
        self.part = part
    def __getattr__(self, name):
        counts["getattr"] += 1
        raise AttributeError(name)
    def touched(name):
        def touch(self, *args):
            counts[name] += 1
            return True
        return touch
    __eq__, __len__, __bool__, __call__ = touched("eq"), touched("len"), touched("bool"), touched("call")
    __hash__ = object.__hash__
    total = property(touched("property"))
    def __repr__(self):
        counts["repr"] += 1
        return "touchy"

class Listed(list):
    def __iter__(self):
        counts["iter"] += 1
        return list.__iter__(self)

def made(part):
    yield part
    yield 2

def closed(part):
    return lambda: part

def failed(part):
    try:
        raise ValueError(part)
    except ValueError as error:
        return error

class Counting(object):
    """In the place of a function of the library; called while its lock is held it would hang."""
    def __init__(self, name, plain, alone):
        self.name, self.plain, self.alone = name, plain, alone
    def __call__(self, *args, **kwargs):
        if self.alone or caller(1).f_globals.get("__name__", "").startswith(("dap_ai", "_dap_ai")):
            counts[self.name] += 1
            if LOCK.locked():
                log.append("hangs in " + self.name)
        return self.plain(*args, **kwargs)

class Replaced(object):
    def __init__(self, *names):
        self.found = []
        for name, alone in names:
            module, _, name = name.rpartition(".")
            plain = getattr(sys.modules.get(module), name, None)
            if plain is not None:
                self.found.append((sys.modules[module], name, plain, alone))
    def __enter__(self):
        for module, name, plain, alone in self.found:
            setattr(module, name, Counting(module.__name__ + "." + name, plain, alone))
    def __exit__(self, *_):
        for module, name, plain, alone in self.found:
            setattr(module, name, plain)

def watch(x, name):
    try:
        return weakref.ref(x, lambda _: log.append("callback " + name))
    except TypeError:
        return None

def lazy(name):
    spec = importlib.util.spec_from_loader(name, importlib.util.LazyLoader(Loads()))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    modules.add(name)
    return module

class Loads(object):
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        lazies.append(object.__getattribute__(module, "__name__"))
'''
_END = """
def census():
    return collections.Counter(type(x).__name__ for x in gc.get_objects() if type(x).__module__ == "__main__")

if __name__ == "__main__":
    gc.collect()
    for scene in SCENES:
        scene()
        log.append("scene over")
        gc.enable()
        gc.collect()
    told = dict(log=log, counts=sorted(counts.items()), lazies=lazies, modules=sorted(set(sys.modules) - modules))
    told.update(census=sorted(census().items()), collecting=gc.isenabled(), filters=len(warnings.filters))
    print("RESULT " + json.dumps(told), flush=True)
"""
_QUIET = """os.getcwd os.fsencode os.uname os.sysconf posix.getcwd time.perf_counter json.dumps json.loads gc.disable
    gc.isenabled gc.get_count sys._current_frames sys.getsizeof posixpath.isdir _asyncio._get_running_loop
    binascii.a2b_base64 zlib.decompress warnings.filterwarnings warnings.catch_warnings struct.pack ctypes.get_errno
    inspect.getattr_static"""
"""What debugpy itself does not call at a stop."""
_BUSY = """time.time time.monotonic threading.get_ident threading.current_thread _thread.get_ident builtins.len
    builtins.isinstance builtins.getattr builtins.repr builtins.open builtins.id builtins.iter os.fspath os.stat
    builtins.sorted builtins.sum builtins.min builtins.eval builtins.exec builtins.compile builtins.__import__
    posixpath.basename linecache.getline sys._getframe"""
"""What it does call: counted are calls of injected code alone."""
_MAKERS = ("{}", "[{}]", "{{'key': {}}}", "({}, 1)", "Slotted({})", "Touchy({})", "Listed([{}])", "closed({})",
           "types.SimpleNamespace(part={})", "collections.deque([{}])", "failed({})", "made({})",
           "contextvars.ContextVar('part', default={})")  # fmt: skip
SOURCES = ("v0", "v1.part", "v2[0]", "len(v1)", "v0 == v1", "os.getcwd()", "time.perf_counter()", "f'{v1}'", "v2()",
           "[x for x in v1]", "gc.isenabled()", "lazily.name", "v1.total", "sum(v2)", "names")  # fmt: skip


def program(dice: random.Random) -> str:
    """The source of a program; each stop is marked."""
    scenes = "".join(_scene(dice, number) for number in range(SCENES))
    names = ", ".join(f"scene{number}" for number in range(SCENES))
    return f"{_PRELUDE}{scenes}\nSCENES = ({names})\n{_END}"


def _scene(dice: random.Random, number: int) -> str:
    names = [f"v{at}" for at in range(dice.randint(3, 6))]
    before: list[str] = []
    before += [f"{name} = " + dice.choice(_MAKERS).format(f"Told('{name} of {number}')") for name in names]
    before += [f"if type({name}) is types.GeneratorType: next({name})" for name in names if dice.random() < 0.3]
    watched = [name for name in names if dice.random() < 0.4]
    before += [f"w{name} = watch({name}, '{name} of {number}')" for name in watched]
    before += [
        f"cycle = Told('cycle {at} of {number}'); cycle.me = cycle; del cycle" for at in range(dice.randint(0, 3))
    ]
    extra = (
        "names = locals()",
        f"lazily = lazy('lazy_{number}')",
        "gc.disable()",
        "gc.collect()",
        "sys.path.append(Told)",
    )
    before += dice.sample(extra, dice.randint(0, 3))
    replaced = [(name, True) for name in dice.sample(_QUIET.split(), 8)] + [
        (name, False) for name in dice.sample(_BUSY.split(), 4)
    ]
    after: list[str] = []
    for name in dice.sample(names, dice.randint(1, len(names))):
        after += [dice.choice((f"del {name}", f"{name} = None")), f"log.append('after {name}')"]
    after += [f"log.append(w{name} and w{name}() is None)" for name in watched]
    if "names = locals()" in before:
        after.append("log.append(sorted(set(names) - {'later'}))")
        after.append("names = None")
    held = "with LOCK, " if dice.random() < 0.5 else "with "
    lines = [*before, f"{held}Replaced(*{replaced!r}):", f"    later = {number}  # @bp scene{number}", *after,
             "if Told in sys.path: sys.path.remove(Told)", "log.append('end')"]  # fmt: skip
    return f"\ndef scene{number}():\n" + "".join(f"    {line}\n" for line in lines)
