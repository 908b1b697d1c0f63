"""Brings the static walker into a debuggee of debugpy and asks it: one `evaluate` a visit.

1. Installing needs statements: context `hover` with a frameId, `exec` reached through `builtins`, because the frame's
   own names are the program's. A visit is context `clipboard` with a frameId: eval only, and never cut.
2. pydevd replaces `@LINE@` in expressions, quotes results, and answers errors with success. So queries and replies
   travel as base64, replies open with a magic word, and whatever does not is an error text.
3. The module's name holds a digest of its source: another version's walker in the same process is never called.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import marshal
import sys
import zlib
from importlib import resources
from importlib.util import MAGIC_NUMBER

import msgspec

from dap_ai.backends import Request
from dap_ai.protocol.errors import RequestFailed
from dap_ai.protocol.inspection import Inspection, Query

MAGIC = "dap_ai:"
_MAGIC = (MAGIC_NUMBER, sys.implementation.cache_tag)
"""The bytecode of this Python."""
_COMPRESSION = 1
"""The quickest: level 9 takes ten times as long for a third less."""
_MODULES = (
    "statics",
    "views",
    "kinds",
    "plain",
    "dtypes",
    "moments",
    "items",
    "scalars",
    "columns",
    "frames",
    "arrays",
    "layouts",
    "values",
    "exceptions",
    "threads",
    "operations",
    "methods",
    "attributes",
    "functions",
    "calls",
    "parts",
    "expressions",
    "frame_strings",
    "holders",
    "secrets",
    "walker",
    "runtime",
)
_SNAPSHOT_MODULES = (
    "syscalls",
    "clone",
    "filters",
    "landlock",
    "mounts",
    "paths",
    "lookups",
    "mappings",
    "userfaults",
    "sharing",
    "pools",
    "truth",
    "lockdown",
    "effects",
    "sources",
    "statements",
    "changes",
    "tracing",
    "edits",
    "patching",
    "raising",
    "environment",
    "blanking",
    "ahead",
    "evaluation",
    "answers",
    "reasons",
    "jobs",
)
"""In the order of their imports of each other; the second set only goes to a debuggee that a snapshot is made of."""

_BOOTSTRAP = """
def install(name, magic, parts):
    import sys, types, marshal
    here = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER, sys.implementation.cache_tag
    if magic and magic != here:
        return
    made = {}
    try:
        if name not in sys.modules:
            made[name] = sys.modules[name] = types.ModuleType(name)
            made[name].__path__ = []
        for part, code in parts:
            module = made[name + "." + part] = types.ModuleType(name + "." + part)
            module.__package__ = name
            sys.modules[name + "." + part] = module
            if magic:
                code = marshal.loads(code)
            else:
                code = compile(code, "<" + name + "." + part + ">", "exec", dont_inherit=True)
            exec(code, module.__dict__)
    except BaseException:
        for known in made:
            sys.modules.pop(known, None)
        raise
"""


@functools.cache
def package_name() -> str:
    """The package that holds all injected modules inside the debuggee."""
    digest = hashlib.sha256(repr(_sources(_MODULES + _SNAPSHOT_MODULES)).encode()).hexdigest()[:12]
    return f"_dap_ai_probe_{digest}"


def _sources(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    folder = resources.files("dap_ai.backends.debugpy").joinpath("inject")
    return [(name, folder.joinpath(f"{name}.py").read_text("utf-8")) for name in modules]


def _compiled(modules: tuple[str, ...]) -> list[tuple[str, bytes]]:
    return [
        (name, marshal.dumps(compile(source, f"<{package_name()}.{name}>", "exec", dont_inherit=True)))
        for name, source in _sources(modules)
    ]


@functools.cache
def _install_expression(modules: tuple[str, ...], magic: tuple[bytes, str | None] | None) -> str:
    parts = _compiled(modules) if magic else _sources(modules)
    program = f"{_BOOTSTRAP}\ninstall({package_name()!r}, {magic!r}, {parts!r})\n"
    source = base64.b64encode(zlib.compress(program.encode(), _COMPRESSION)).decode("ascii")
    return (
        "(lambda b, z, a: b.exec(b.compile(z.decompress(a.a2b_base64("
        f"'{source}')), '<dap_ai>', 'exec'), {{'__builtins__': b}}))"
        "(__import__('builtins'), __import__('zlib'), __import__('binascii'))"
    )


def install_expressions() -> list[str]:
    """What puts the walker into a debuggee; evaluate them in context `hover` with a frameId until one has done it.

    The first holds compiled modules and does nothing in another version of Python than this one; the second, sources,
    which cost the debuggee 40 ms.
    """
    return [_install_expression(_MODULES, _MAGIC), _install_expression(_MODULES, None)]


def install_snapshots_expressions() -> list[str]:
    """What adds snapshots to an installed walker, in the same way."""
    return [_install_expression(_SNAPSHOT_MODULES, _MAGIC), _install_expression(_SNAPSHOT_MODULES, None)]


def warm() -> None:
    """Prepares what is the same for every debuggee of this Python; takes some 60 ms."""
    _install_expression(_MODULES, _MAGIC)
    _install_expression(_SNAPSHOT_MODULES, _MAGIC)


def visit_expression(query: Query) -> str:
    """What asks an installed walker; evaluate it in context `clipboard` with a frameId."""
    encoded = base64.b64encode(msgspec.json.encode(query)).decode("ascii")
    return f"__import__('sys').modules['{package_name()}.runtime'].visit('{encoded}')"


class Inspector:
    """The walker of one debug session; it may meet a new process at any stop, and installs itself anew there."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """One visit. Raises RequestFailed when the debuggee could not be read, NotStopped as `request` does."""
        if not query.frames:
            raise RequestFailed("inspect", "noFrames", "there is no frame to read: name one of a stackTrace")
        frame_id = query.frames[0].frame_id
        reply = await self._visit(request, frame_id, query)
        if not reply.startswith(MAGIC):
            reply = await self._install(request, frame_id, query)
        return _decode(reply)

    async def _visit(self, request: Request, frame_id: int, query: Query) -> str:
        arguments = {"expression": visit_expression(query), "context": "clipboard", "frameId": frame_id}
        return unquoted(str((await request("evaluate", arguments)).get("result", "")))

    async def _install(self, request: Request, frame_id: int, query: Query) -> str:
        reply = ""
        for expression in install_expressions():
            await request("evaluate", {"expression": expression, "context": "hover", "frameId": frame_id})
            reply = await self._visit(request, frame_id, query)
            if reply.startswith(MAGIC):
                break
        return reply


def unquoted(result: str) -> str:
    """A string's text, whether or not this debugpy shows it with quotes."""
    return result[1:-1] if result[:1] in {"'", '"'} and result[-1:] == result[:1] else result


def _decode(reply: str) -> Inspection:
    if not reply.startswith(MAGIC):
        raise RequestFailed("inspect", "inspectFailed", f"the program could not be read: {last_line(reply)}")
    text = reply.removeprefix(MAGIC)
    if text.startswith("!"):
        raise RequestFailed("inspect", "inspectFailed", f"the walker failed inside the program: {text[1:]}")
    try:
        return msgspec.json.decode(base64.b64decode(text), type=Inspection)
    except (ValueError, msgspec.MsgspecError) as error:
        raise RequestFailed("inspect", "inspectFailed", f"the walker's reply was not understood: {error}") from error


def last_line(text: str) -> str:
    """What went wrong inside the debuggee: the end of the traceback that came instead of a reply."""
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "debugpy gave an empty reply (is the frame of a stopped thread?)"
