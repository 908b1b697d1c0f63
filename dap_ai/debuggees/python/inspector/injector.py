"""The injector, dap_ai's entry point in a debuggee: installs the inspector's modules there and answers requests.

The proxy opens the injector through debugpy before the program starts, while the interpreter is unmodified.

1. Functions that injected modules call are copied here once, so that a function that the program replaces later (a
   mock, a wrapper with its own lock) is not called. If the injector is opened later, functions that are already
   replaced are left out; a module that needs such a function gets an error that says so.
2. Requests to the injector bypass pydevd's `evaluate`. That function copies the frame's names and keeps them, calls the
   program's replacements of `warnings` and `time`, and remembers each result until the program continues.
3. No garbage collection happens during a request, and a request does not bring the next collection forward (_BALLAST).
4. The injected modules are not in `sys.modules`, and do not cause other modules to be loaded.

Each rule avoids one effect that an ordinary import and `eval` would have on the program: use names in modules that a
mock or a wrapper has changed, load a module that the program has not loaded, leave entries in `sys.modules`, run a
finalizer because our objects filled a generation of the collector.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import itertools
import sys
import types
from typing import Any

MAGIC = "dap_ai:"
_KEPT = """_imp _json _string _thread _weakref binascii builtins collections contextvars ctypes enum functools gc io
    itertools json marshal math operator os posix struct sys time types zlib"""
"""Modules that injected modules get as they were when the injector was opened.

All other modules are those that the program uses.
"""
_NEEDED = """__build_class__ __import__ abs all any bin bool bytes callable chr compile dict divmod enumerate eval exec
    filter float format frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next
    object oct ord range repr reversed round set setattr slice sorted str sum super tuple type vars zip"""
_OF_C: Any = types.BuiltinFunctionType
_ALSO = {"os": ("posix", "nt")}
"""Modules by the name of another module that re-exports their functions."""
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8
_BALLAST = 16_000
"""Number of spare objects for the garbage collector's counter.

For each object that a request adds to the counter, one spare object is released, so that the next collection is not
earlier. An installation takes several thousand spare objects; a stop takes 2,000 more after each full collection,
because the interpreter keeps freed objects for later and still counts them.
"""

_names_of: Any = vars(types.ModuleType)["__dict__"].__get__
_flags_of: Any = vars(type)["__flags__"].__get__


def _is_own(module: str, name: str, x: Any) -> bool:
    """Whether an object under a module's name is the original, and not a replacement by the program."""
    # A function knows its name and its module, so one from another module differs in one of them; the
    # leading underscore of a C module (`_json`, `json`) does not count. Classes and instances of the module's own
    # classes count as own. Any other object only if C code made its type and it can't be called.
    kind = type(x)
    if kind is _OF_C or kind is types.FunctionType:
        return x.__name__ == name and _bare(x.__module__) in (_bare(module), *_ALSO.get(module, ()))
    if issubclass(kind, type) or _bare(vars(kind).get("__module__")) == _bare(module):
        return True
    flags = _flags_of(kind)
    made_in_c = not flags & _HEAP_TYPE or (sys.version_info >= (3, 10) and bool(flags & _IMMUTABLE_TYPE))
    return made_in_c and not callable(x)


def _bare(module: Any) -> str:
    return module.strip("_") if type(module) is str else ""


def _copied(name: str) -> Any:
    """Returns a new module with another module's original names; None if that module is missing or replaced."""
    try:
        known = sys.modules[name] if name in sys.modules else __import__(name)
    except ImportError:  # not on this system
        return None
    if type(known) is not types.ModuleType:
        return None
    items = [(key, x) for key, x in list(_names_of(known).items()) if type(key) is str]
    copy: Any = types.ModuleType(name)
    # A module object of our own with the same functions in it: a later `setattr` of the program on its module does not
    # reach it. Names that were replaced before are left out and not guessed: `__getattr__` (PEP 562) tells the
    # caller.
    own = {key: x for key, x in items if _is_own(name, key, x)}
    replaced = frozenset([key for key, _ in items if key not in own])
    _names_of(copy).update(own)

    def missing(key: str) -> Any:
        if key in replaced:
            raise RuntimeError("the program has replaced %s.%s" % (name, key))
        raise AttributeError("module '%s' has no attribute '%s'" % (name, key))

    _names_of(copy)["__getattr__"] = missing
    return copy


def _living(copy: Any, known: Any) -> Any:
    """Changes the copy of `sys`: it keeps functions and classes, and looks up other names in the current `sys`."""
    names: Any = _names_of(copy)
    # `sys` is two things: functions, which must be those from the start, and state (`modules`, `path`, `flags`),
    # which must be current. So only the functions are kept; everything else is looked up when it is used.
    functions = {key: x for key, x in names.items() if type(x) is _OF_C or type(x) is type}

    def now(key: str) -> Any:
        found = _names_of(known)
        if key in found and not callable(found[key]):
            return found[key]
        raise AttributeError("module 'sys' has no '%s' of its own" % key)

    names.clear()
    names.update(functions, __getattr__=now)
    return copy


def _patterns() -> Any:
    """Returns a copy of `re` without its cache, which belongs to the program."""
    copy = _copied("re")
    compiler: Any = sys.modules.get("re._compiler") or sys.modules["sre_compile"]  # its names since 3.11, and before
    _names_of(copy)["compile"] = compiler.compile
    return copy


def keep() -> dict[str, Any]:
    """Returns copies of the modules that injected modules call, by name, without names that the program replaced."""
    copies = [(name, _copied(name)) for name in _KEPT.split()]
    kept = {name: copy for name, copy in copies if copy is not None}
    kept["sys"] = _living(kept["sys"], sys.modules["sys"])
    kept["re"] = _patterns()
    return kept


class Injector:
    """Answers requests of the form `NAME('ARGUMENT')` by its methods; arguments and results are strings."""

    def __init__(self, kept: Any = None) -> None:
        self._kept: dict[str, Any] = kept or keep()
        own: Any = self._kept["builtins"]
        for name in _NEEDED.split():
            getattr(own, name)
        self._import_any = own.__import__
        self._builtins = dict(_names_of(own), __import__=self._import)
        del self._builtins["__getattr__"]
        self._made: dict[str, Any] = {}
        self._awaited: dict[str, Any] = {}
        # What we free counts down generation 0 of the collector, what we keep counts it up (gc module: allocations
        # minus deallocations). To reset the counter would need a collection, so objects are made beforehand, and given
        # back.
        self._ballast = list(map(itertools.repeat, (None,) * _BALLAST))

    def visit(self, query: str) -> str:
        """Runs an inspection by `runtime.visit`; returns an empty text if the inspector is not installed."""
        return self._call("runtime", "visit", query)

    def turn(self, work: str) -> str:
        """Starts and polls snapshot jobs by `turns.turn`; returns an empty text if snapshots are not installed."""
        return self._call("turns", "turn", work)

    def kill(self, token: str) -> str:
        """Ends a snapshot job by `turns.kill`; returns an empty text if snapshots are not installed."""
        return self._call("turns", "kill", token)

    def close(self) -> None:
        """Ends all snapshot jobs by `turns.close`, if snapshots are installed."""
        there = self._made.get("turns")
        if there is not None:
            there.close()

    def watch(self, argument: str) -> str:
        """Starts capturing values at raises; returns an empty text if the raise watch is not installed."""
        return self._call("under_debugpy", "watch", argument)

    def has(self, module: str) -> str:
        """Returns MAGIC if an injected module with this name is installed, otherwise an empty text."""
        return MAGIC if module in self._made else ""

    def importing(self, _: str) -> str:
        """Returns MAGIC if a thread of the program is importing a module, otherwise an empty text."""
        return MAGIC if self._kept["_imp"].lock_held() else ""

    def install(self, packed: str) -> str:
        """Installs modules from base64(zlib(marshal((magic, ((name, code or source), ...))))).

        Returns MAGIC on success; an empty text if the code is for another Python version. Raises the errors of a
        module's code.
        """
        unpacked = self._kept["zlib"].decompress(self._kept["binascii"].a2b_base64(packed))
        magic, parts = self._kept["marshal"].loads(unpacked)
        if magic and magic != (sys.modules["_frozen_importlib_external"].MAGIC_NUMBER, sys.implementation.cache_tag):
            return ""
        self.add(parts)
        return MAGIC

    def add(self, parts: Any) -> dict[str, Any]:
        """Adds modules from (name, marshalled code or source) pairs, and returns all modules by name.

        If a module raises, none of them is added.
        """
        # Modules of one batch may import each other in any order. All are announced in `_awaited`; the first
        # import of one executes it there and then (`_bring`). It is in `_made` before its code runs, as in
        # `sys.modules`, so a circular import finds it. If one raises, none of this batch stays: half of a set would
        # fail later, and further from the cause.
        before = dict(self._made)
        self._awaited = {name: code for name, code in parts if name not in before}
        try:
            for name in list(self._awaited):
                self._bring(name)
        except BaseException:
            self._made = before
            raise
        finally:
            self._awaited = {}
        return self._made

    def bring(self, modules: dict[str, Any]) -> None:
        """Adds ready modules; a later installation does not replace them."""
        self._made.update(modules)

    def _bring(self, name: str) -> None:
        """Executes and adds a module of the current batch, unless another module's import has done so."""
        code = self._awaited.pop(name, None)
        if code is not None:
            self._add(name, code)

    def _add(self, name: str, code: Any) -> None:
        module: Any = types.ModuleType("dap_ai_probe." + name)
        module.__package__ = "dap_ai_probe"
        module.__builtins__ = self._builtins
        if type(code) is str:
            code = compile(code, "<dap_ai_probe.%s>" % name, "exec", dont_inherit=True)
        else:
            code = self._kept["marshal"].loads(code)
        self._made[name] = module
        exec(code, module.__dict__)  # noqa: S102  to install is that

    def _call(self, module: str, function: str, argument: str) -> str:
        there = self._made.get(module)
        return "" if there is None else getattr(there, function)(argument)

    # -- imports of the injected modules ---------------------------------------------------------------------------

    def _import(self, name: str, _globals: Any = None, _locals: Any = None, wanted: Any = (), level: int = 0) -> Any:
        # Imports of another injected module: `.texts`, `..stored.statics`, modules of `.`, `dap_ai.system.NAME`.
        if level or name.startswith("dap_ai."):
            name = name.rpartition(".")[2]
            for wanted_name in (name, *wanted):
                self._bring(wanted_name)
            return self._made[name] if name in self._made else types.SimpleNamespace(**self._made)
        if name == "typing":
            self._bring("hints")
            if "hints" in self._made:
                return self._made["hints"]
        # First a kept module; then a module that the program has loaded, as it is; only then a real import, for a
        # library module that nobody has loaded. Never a module of another type: to read a name of a lazy module
        # would load it.
        kept = self._kept.get(name)
        if kept is not None:
            return kept
        known = sys.modules.get(name)
        if known is None:
            return self._import_any(name, None, None, wanted, 0)
        if type(known) is not types.ModuleType:  # to read a name of it might load it
            raise ImportError("the program has something else in the place of the module " + name)
        return known

    # -- handling of requests --------------------------------------------------------------------------------------

    def answers(self, text: str) -> bool:
        """Whether a text is a request to the injector, `NAME('ARGUMENT')` with a known name."""
        name, opened, rest = text.partition("('")
        return opened == "('" and rest.endswith("')") and name in _REQUESTS

    def answer(self, text: str) -> str:
        """Calls the method that a request names and returns its result.

        For an error, returns a text that does not begin with MAGIC.
        """
        name, _, argument = text[:-2].partition("('")
        try:
            return getattr(self, name)(argument)
        except (Exception, KeyboardInterrupt) as error:
            return type(error).__name__ + ": " + str(error.args[0] if error.args else "")[:200]

    def quietly(self, text: str, respond: Any, *receiver: Any) -> None:
        """Answers a request with the garbage collector off, and sends the reply by `respond`."""
        collector = self._kept["gc"]
        collecting, before = collector.isenabled(), collector.get_count()[0]
        collector.disable()  # a collection runs finalizers and callbacks of the program
        try:
            reply = self.answer(text)
            while self._ballast and collector.get_count()[0] > before:
                self._ballast.pop()
            respond(*receiver, reply)
        finally:
            if collecting:
                collector.enable()

    def give_json(self) -> None:
        """Replaces `json` in pydevd's modules by the kept copy, because pydevd encodes every message with it."""
        plain, kept = sys.modules["json"], self._kept["json"]
        for name, module in list(sys.modules.items()):
            if type(module) is types.ModuleType and "pydevd" in name and _names_of(module).get("json") is plain:
                _names_of(module)["json"] = kept

    def free_frames(self) -> None:
        """Replaces a function of pydevd that has a reference cycle, which keeps all frames and variables alive."""
        module: Any = sys.modules.get("_pydevd_bundle.pydevd_additional_thread_info_regular")
        known: Any = getattr(module, "PyDBAdditionalThreadInfo", None)
        current_frames: Any = getattr(self._kept["sys"], "_current_frames", None)

        def get_topmost_frame(_self: Any, thread: Any) -> Any:
            return current_frames().get(thread._ident)

        if (
            current_frames is not None
            and known is not None
            and type(vars(known).get("get_topmost_frame")) is types.FunctionType
        ):
            known.get_topmost_frame = get_topmost_frame


_REQUESTS = ("visit", "turn", "kill", "has", "importing", "install", "watch")


def open_injector(name: str, place: Any) -> None:
    """Makes `place.NAME` the injector.

    In the module `pydevd`, requests to the injector then bypass pydevd's own `evaluate`. Any other `place` answers such
    requests itself. It supplies some of the injected modules as `place.dap_ai_modules`, and the result of `keep` as
    `place.dap_ai_kept`.
    """
    if name in vars(place):
        return
    own_modules = vars(place).get("dap_ai_modules")
    if type(own_modules) is dict:
        injector = Injector(vars(place)["dap_ai_kept"])
        setattr(place, name, injector)
        injector.bring(own_modules)
        return
    injector = Injector()
    setattr(place, name, injector)
    injector.give_json()
    injector.free_frames()
    api: Any = sys.modules.get("_pydevd_bundle.pydevd_api")
    plain: Any = getattr(api, "internal_evaluate_expression_json", None)
    respond: Any = getattr(sys.modules.get("_pydevd_bundle.pydevd_comm"), "_evaluate_response", None)
    if plain is None or respond is None:
        return  # another version of debugpy: its own `evaluate` finds the injector
    prefix = "__import__('pydevd').%s." % name

    def evaluate(py_db: Any, request: Any, thread_id: Any) -> None:
        text = request.arguments.expression
        if text.startswith(prefix) and request.arguments.frameId is not None and injector.answers(text[len(prefix) :]):
            injector.quietly(text[len(prefix) :], respond, py_db, request)
        else:
            plain(py_db, request, thread_id)

    api.internal_evaluate_expression_json = evaluate
