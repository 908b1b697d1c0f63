"""Installs the static inspector in a debuggee of debugpy and queries it: one `evaluate` per inspection.

1. The proxy opens the injector (inspector/injector.py) before the program starts, or else at the first inspection, in
   context `hover` with a frameId. The injector answers expressions that begin with its name, in place of pydevd's own
   `evaluate`.
2. pydevd replaces `@LINE@` in expressions, quotes results, and reports errors as success. So queries and replies are
   base64, and a reply starts with a magic word. Any other reply is an error; an empty reply means "not installed".
3. The injector's name contains a digest of all sources: an inspector of another version in the process is never called.
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
"""The bytecode version of this Python, compared with the debuggee's."""
_MARSHAL_OF_ALL = 2
"""The marshal format version that every supported Python can read."""
_COMPRESSION = 1
"""The fastest zlib level, because level 9 takes ten times as long and saves only a third."""
_INSPECTOR, _SNAPSHOTS = (Path(__file__).parents[1] / name for name in ("inspector", "snapshots"))
READING, SNAPSHOTS, RAISES = "reading", "snapshots", "raises"
"""Names of bundles of injected modules; each module's name is unique across all bundles.

READING goes to every debuggee, SNAPSHOTS to debuggees that are copied. RAISES captures values at each raise from the
program's start.
"""
_FOR_RAISES = frozenset({"captures", "earlier", "freezing", "hints", "mentioned", "scopes", "statics"})
"""Modules of the bundle READING that the bundle RAISES also contains."""
_NEWER = "__import__('sys').version_info >= (3, 12)"


@functools.cache
def injector_name() -> str:
    """Returns the injector's attribute name on the module `pydevd` inside the debuggee."""
    sources = _injector_source(), _sources(READING), _sources(SNAPSHOTS), _sources(RAISES)
    return f"dap_ai_{hashlib.sha256(repr(sources).encode()).hexdigest()[:12]}"


def _injector_source() -> str:
    return (_INSPECTOR / "injector.py").read_text("utf-8")


def _sources(bundle: str) -> list[tuple[str, str]]:
    """Returns (name, source) of a bundle's modules, sorted by name; the injector sorts the modules by their imports."""
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
    """Returns a module's code object, usually from its bytecode cache."""
    code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    if code is None:  # never happens: the file exists
        raise ImportError(f"no code in {file}")
    return _called(code, f"<dap_ai_probe.{file.stem}>")


def _called(code: CodeType, file: str) -> CodeType:
    """Returns the code object with another file name, also in all nested code objects."""
    constants = tuple(_called(each, file) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, _COMPRESSION)).decode("ascii")


@functools.cache
def open_expression() -> str:
    """Returns the expression that opens the injector; evaluating it again has no effect.

    Evaluate it without a frameId, or with a frameId in context `hover`.
    """
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
    """Returns the expression that calls an injector function. Evaluate it in context `clipboard` with a frameId."""
    return f"__import__('pydevd').{injector_name()}.{function}('{argument}')"


@functools.cache
def _install_expression(folder: str, magic: tuple[bytes, str | None] | None) -> str:
    parts = _compiled(folder) if magic else _sources(folder)
    return call_expression("install", _packed(marshal.dumps((magic, tuple(parts)), _MARSHAL_OF_ALL)))


def install_expressions(folder: str = READING) -> list[str]:
    """Returns two expressions that install a bundle; evaluate the second only if the first returns an empty text.

    The first contains modules compiled for this Python version. The second contains sources, which take the debuggee 40
    ms to compile.
    """
    return [_install_expression(folder, _MAGIC), _install_expression(folder, None)]


def watch_expression() -> str:
    """Returns the expression that captures values at each later raise.

    The expression does nothing unless the injector is open and Python is 3.12 or newer.
    """
    ours, any_python = install_expressions(RAISES)
    return f"{_NEWER} and ({ours} or {any_python}) and {call_expression('watch', '')}"


def warm() -> None:
    """Builds and caches the expressions that are equal for every debuggee of this Python; takes some 60 ms."""
    open_expression()
    _install_expression(READING, _MAGIC)
    _install_expression(SNAPSHOTS, _MAGIC)
    watch_expression()


def inspection_expression(query: Query) -> str:
    """Returns the expression that sends a query to the installed inspector."""
    return call_expression("visit", base64.b64encode(msgspec.json.encode(query)).decode("ascii"))


class Caller:
    """Calls the injector of one debuggee through a frame of a stopped thread."""

    def __init__(self, request: Request, frame_id: int) -> None:
        self._request = request
        self._frame_id = frame_id

    async def evaluate(self, expression: str, context: str = "clipboard") -> str:
        """Evaluates an expression and returns debugpy's result without quotes. Raises RequestFailed, NotStopped."""
        arguments = {"expression": expression, "context": context, "frameId": self._frame_id}
        return unquoted(str((await self._request("evaluate", arguments)).get("result", "")))

    async def install(self, said: str, *kinds: list[str]) -> str:
        """Installs bundles in order; returns MAGIC on success, otherwise an error text.

        `said`: the injector's last reply; an empty text if the injector is open but lacks the modules.
        """
        if said:  # the injector is not open
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
    """The static inspector of one debug session. It is installed in each process of the debuggee that stops."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """Runs one inspection and returns its result.

        Raises RequestFailed if the debuggee could not be read, and NotStopped if the program has continued.
        """
        if not query.frames:
            raise RequestFailed("inspect", "noFrames", "there is no frame to read: name one of a stackTrace")
        caller, visit = Caller(request, query.frames[0].frame_id), inspection_expression(query)
        reply = await caller.evaluate(visit)
        if not reply.startswith(MAGIC):
            reply = await caller.install(reply, install_expressions())
            reply = await caller.evaluate(visit) if reply == MAGIC else reply
        return _decode(reply)


def unquoted(result: str) -> str:
    """Removes the quotes that some versions of debugpy put around a string result."""
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
    """Returns the last line of an error reply (a traceback from the debuggee), at most 300 characters."""
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "debugpy sent an empty reply (is the frame of a stopped thread?)"
