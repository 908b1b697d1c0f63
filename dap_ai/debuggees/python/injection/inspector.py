"""Brings the static inspector into a debuggee of debugpy and asks it: one `evaluate` a visit.

1. inspector/injector.py is opened before the program starts, by the proxy's greeting; else at the first visit, in
context
   `hover` with a frameId. What begins with its name is answered by it, in place of pydevd's own `evaluate`.
2. pydevd replaces `@LINE@` in expressions, quotes results, and answers errors with success. So queries and replies
   travel as base64, replies open with a magic word, and whatever does not is an error text. "": not installed yet.
3. The injector's name holds a digest of all sources: another version's inspector in the same process is never called.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import marshal
import sys
import zlib
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

import msgspec

from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system import user_code

MAGIC = "dap_ai:"
_MAGIC = (MAGIC_NUMBER, sys.implementation.cache_tag)
"""The bytecode of this Python."""
_MARSHAL_OF_ALL = 2
"""A format that every Python reads."""
_COMPRESSION = 1
"""The quickest: level 9 takes ten times as long for a third less."""
_INSPECTOR, _SNAPSHOTS = (Path(__file__).parents[1] / name for name in ("inspector", "snapshots"))
READING, SNAPSHOTS, RAISES = "reading", "snapshots", "raises"
"""Bundles of modules: what every debuggee gets, what only one gets that a snapshot is made of, and what hears of
exceptions from its start on. A module's name is unique among all of them."""
_FOR_RAISES = frozenset({"captures", "earlier", "freezing", "hints", "mentioned", "scopes", "statics"})
"""Modules of READING that RAISES needs as well."""
_NEWER = "__import__('sys').version_info >= (3, 12)"


@functools.cache
def injector_name() -> str:
    """What the injector is called inside the debuggee, on the module `pydevd`."""
    sources = _injector_source(), _sources(READING), _sources(SNAPSHOTS), _sources(RAISES)
    return f"dap_ai_{hashlib.sha256(repr(sources).encode()).hexdigest()[:12]}"


def _injector_source() -> str:
    return (_INSPECTOR / "injector.py").read_text("utf-8")


def _sources(bundle: str) -> list[tuple[str, str]]:
    """(name, source) of a bundle's modules, by name: the injector brings them into the order of their imports."""
    return [(file.stem, file.read_text("utf-8")) for file in _files(bundle)]


def _files(bundle: str) -> list[Path]:
    if bundle == SNAPSHOTS:
        return _modules(_SNAPSHOTS)
    raises = _modules(_INSPECTOR / "raises")
    reading = [file for file in _modules(_INSPECTOR) if file not in raises and file.stem != "injector"]
    if bundle == READING:
        return reading
    return [*raises, *(file for file in reading if file.stem in _FOR_RAISES), Path(user_code.__file__)]


def _modules(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if file.name != "__init__.py")


def _compiled(bundle: str) -> list[tuple[str, bytes]]:
    return [(file.stem, marshal.dumps(_code(file))) for file in _files(bundle)]


def _code(file: Path) -> CodeType:
    """A module's code: as a rule from the cache beside it, where its installation or its first use has put it."""
    code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    if code is None:  # it never is: the file is there
        raise ImportError(f"no code in {file}")
    return _called(code, f"<dap_ai_probe.{file.stem}>")


def _called(code: CodeType, file: str) -> CodeType:
    """The code, and all that is defined in it, as of a file of that name."""
    constants = tuple(_called(each, file) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, _COMPRESSION)).decode("ascii")


@functools.cache
def open_expression() -> str:
    """What opens the injector; nothing if it is open. Evaluate it without a frameId, or in context `hover` with one."""
    file = "<dap_ai_probe.injector>"
    program = f"{_injector_source()}\nopen_injector({injector_name()!r}, place)\n"
    code = marshal.dumps(compile(program, file, "exec", dont_inherit=True))
    here = "(s.modules['_frozen_importlib_external'].MAGIC_NUMBER, s.implementation.cache_tag)"
    return (
        "(lambda b, s, m, p, u: b.exec("
        f"m.loads(u('{_packed(code)}')) if {here} == {_MAGIC!r} else "
        f"b.compile(u('{_packed(program.encode())}'), '{file}', 'exec', 0, True), "
        "{'__builtins__': b.__dict__.copy(), '__name__': 'dap_ai_probe.injector', 'place': p}))"
        "(__import__('builtins'), __import__('sys'), __import__('marshal'), __import__('pydevd'), "
        "(lambda z, a: lambda t: z.decompress(a.a2b_base64(t)))(__import__('zlib'), __import__('binascii')))"
    )


def call_expression(function: str, argument: str) -> str:
    """What asks the injector; evaluate it in context `clipboard` with a frameId."""
    return f"__import__('pydevd').{injector_name()}.{function}('{argument}')"


@functools.cache
def _install_expression(folder: str, magic: tuple[bytes, str | None] | None) -> str:
    parts = _compiled(folder) if magic else _sources(folder)
    return call_expression("install", _packed(marshal.dumps((magic, tuple(parts)), _MARSHAL_OF_ALL)))


def install_expressions(folder: str = READING) -> list[str]:
    """Expressions that install the inspector (or SNAPSHOTS) by the injector; the second where the first says "".

    The first holds compiled modules, for this version of Python alone; the second, sources, which cost the debuggee
    40 ms.
    """
    return [_install_expression(folder, _MAGIC), _install_expression(folder, None)]


def watch_expression() -> str:
    """What captures values at each raise from now on, where the injector is open; Python 3.12 and newer."""
    ours, any_python = install_expressions(RAISES)
    return f"{_NEWER} and ({ours} or {any_python}) and {call_expression('watch', '')}"


def warm() -> None:
    """Prepares what is the same for every debuggee of this Python; takes some 60 ms."""
    open_expression()
    _install_expression(READING, _MAGIC)
    _install_expression(SNAPSHOTS, _MAGIC)
    watch_expression()


def inspection_expression(query: Query) -> str:
    """What asks an installed inspector."""
    return call_expression("visit", base64.b64encode(msgspec.json.encode(query)).decode("ascii"))


class Caller:
    """The injector of one debuggee, by way of a frame of its stop."""

    def __init__(self, request: Request, frame_id: int) -> None:
        self._request = request
        self._frame_id = frame_id

    async def evaluate(self, expression: str, context: str = "clipboard") -> str:
        """What debugpy answers. Raises RequestFailed, NotStopped."""
        arguments = {"expression": expression, "context": context, "frameId": self._frame_id}
        return unquoted(str((await self._request("evaluate", arguments)).get("result", "")))

    async def install(self, said: str, *kinds: list[str]) -> str:
        """Installs what these expressions bring, each kind in its turn; `said` is what the injector said without it.

        What it says now: MAGIC, or what went wrong.
        """
        if said:  # there is no injector
            await self.evaluate(open_expression(), "hover")
        for expressions in kinds:
            for expression in expressions:
                said = await self.evaluate(expression)
                if said:
                    break
            if said != MAGIC:
                break
        return said


class Inspector:
    """The inspector of one debug session; it may meet a new process at any stop, and installs itself anew there."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """One visit. Raises RequestFailed when the debuggee could not be read, NotStopped as `request` does."""
        if not query.frames:
            raise RequestFailed("inspect", "noFrames", "there is no frame to read: name one of a stackTrace")
        caller, visit = Caller(request, query.frames[0].frame_id), inspection_expression(query)
        reply = await caller.evaluate(visit)
        if not reply.startswith(MAGIC):
            reply = await caller.install(reply, install_expressions())
            reply = await caller.evaluate(visit) if reply == MAGIC else reply
        return _decode(reply)


def unquoted(result: str) -> str:
    """A string's text, whether or not this debugpy shows it with quotes."""
    return result[1:-1] if result[:1] in {"'", '"'} and result[-1:] == result[:1] else result


def _decode(reply: str) -> Inspection:
    if not reply.startswith(MAGIC):
        raise RequestFailed("inspect", "inspectFailed", f"the program could not be read: {last_line(reply)}")
    text = reply.removeprefix(MAGIC)
    if text.startswith("!"):
        raise RequestFailed("inspect", "inspectFailed", f"the inspector failed inside the program: {text[1:]}")
    try:
        return msgspec.json.decode(base64.b64decode(text), type=Inspection)
    except (ValueError, msgspec.MsgspecError) as error:
        raise RequestFailed("inspect", "inspectFailed", f"the inspector's reply was not understood: {error}") from error


def last_line(text: str) -> str:
    """What went wrong inside the debuggee: the end of the traceback that came instead of a reply."""
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "debugpy sent an empty reply (is the frame of a stopped thread?)"
