"""Runs a program's source behind guards: no file, no process, no network, a limit of statements. Stdlib only.

Walls, from the inside out: a subset of syntax and builtins; an import list; an audit hook that refuses every event
that is not on its list; limits of the operating system where it has them; the parent's deadline.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import io
import sys
import types
from typing import Any, NamedTuple, cast

from dap_ai.agent.analyst.replay.allowed import ALLOWED, DUNDERS, EVENTS, REFUSED

MAX_STATEMENTS = 200_000
MAX_TEXT = 160


class Unsupported(BaseException):
    """The program does what a replay may not."""


class Spent(BaseException):
    """The limit of statements is reached."""


class Outcome(NamedTuple):
    """How a run ended."""

    error: str
    """Name of the exception's type; empty: it ended well."""
    file: str = ""
    line: int = 0
    message: str = ""


class _Guard(ast.NodeTransformer):
    """Counts every statement; refuses reaching behind objects."""

    def __init__(self, file: int) -> None:
        self._file = file

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = node.attr
        if (name.startswith("__") and name not in DUNDERS) or name.startswith(("gi_", "f_", "co_", "tb_", "func_")):
            raise Unsupported(f"attribute {name}")
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in ("__builtins__", "__loader__", "__spec__"):
            raise Unsupported(node.id)
        return node

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        for name in ("body", "orelse", "finalbody"):
            block: Any = getattr(node, name, None)
            if isinstance(block, list) and block:
                statements = cast("list[Any]", block)
                setattr(node, name, [part for statement in statements for part in self._counted(statement)])
        return node

    def _counted(self, statement: Any) -> list[Any]:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            return [statement]
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return [statement]
        arguments: list[ast.expr] = [ast.Constant(self._file), ast.Constant(statement.lineno)]
        tick = ast.Expr(ast.Call(ast.Name("__tick__", ast.Load()), arguments, []))
        return [ast.fix_missing_locations(ast.copy_location(tick, statement)), statement]


class Machine:
    """Runs programs made of these files: path -> text. `modules`: import name -> path."""

    def __init__(self, files: dict[str, str], modules: dict[str, str], argv: list[str]) -> None:
        self._files = files
        self._paths = list(files)
        self._modules = modules
        self._argv = argv
        self._codes: dict[str, tuple[str, types.CodeType]] = {}
        self._loaded: dict[str, types.ModuleType] = {}
        self.lines: set[tuple[int, int]] = set()
        self.left = MAX_STATEMENTS
        self.printed: list[str] = []
        self._frame: Any = None

    def run(self, entry: dict[str, Any], changed: dict[str, str] | None = None, limit: int = MAX_STATEMENTS) -> Outcome:
        """Runs the entry with some files changed. Raises Unsupported, Spent."""
        self._loaded = {}
        self.lines = set()
        self.left = limit
        self.printed = []
        texts = {**self._files, **(changed or {})}
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                self._enter(entry, texts)
        except (Unsupported, Spent):
            raise
        except SystemExit:
            return Outcome("")
        except BaseException as error:  # noqa: BLE001  whatever a program raises is its outcome
            return self._failed(error)
        return Outcome("")

    def _enter(self, entry: dict[str, Any], texts: dict[str, str]) -> None:
        path, function = entry["file"], entry.get("function", "")
        module = self._load("__main__" if not function else "replayed", path, texts)
        if not function:
            return
        owner, _, name = function.rpartition(".")
        arguments = entry.get("arguments", {})
        if owner:
            case = getattr(module, owner)(name)
            case.setUp()
            getattr(case, name)()
            return
        getattr(module, name)(**{k: ast.literal_eval(v) for k, v in arguments.items()})

    def _failed(self, error: BaseException) -> Outcome:
        entry, file, line = error.__traceback__, "", 0
        while entry is not None:
            if entry.tb_frame.f_code.co_filename in self._files:
                self._frame = entry.tb_frame
                file, line = entry.tb_frame.f_code.co_filename, entry.tb_lineno
            entry = entry.tb_next
        try:
            message = str(error)
        except Exception:  # noqa: BLE001  the program's own __str__
            message = ""
        return Outcome(type(error).__name__, file, line, message)

    def values(self, expressions: list[str]) -> dict[str, str]:
        """What expressions give in the frame in which the last run failed."""
        found = {text: value for text in expressions if (value := self._value(text))}
        self._frame = None
        return found

    def _value(self, text: str) -> str:
        try:
            tree = _Guard(0).visit(ast.parse(text, mode="eval"))
            value = eval(compile(tree, "<asked>", "eval"), self._frame.f_globals, self._frame.f_locals)  # noqa: S307  within the walls
            shown = repr(value)
        except (Unsupported, Spent, Exception):  # noqa: BLE001  a value that cannot be had is left out
            return ""
        return shown if len(shown) <= MAX_TEXT else f"{shown[:MAX_TEXT]}... {len(shown) - MAX_TEXT} more"

    def _load(self, name: str, path: str, texts: dict[str, str]) -> types.ModuleType:
        if name in self._loaded:
            return self._loaded[name]
        module = types.ModuleType(name)
        module.__file__ = path
        self._loaded[name] = module
        space = module.__dict__
        space["__builtins__"] = self._builtins(texts)
        space["__tick__"] = self._tick
        previous = sys.modules.get(name)
        sys.modules[name] = module  # dataclasses and enum look there
        try:
            exec(self._code(path, texts[path]), space)  # noqa: S102  this is the replay; its walls are named above
        finally:
            if previous is not None:
                sys.modules[name] = previous
        return module

    def _code(self, path: str, text: str) -> types.CodeType:
        known = self._codes.get(path)
        if known and known[0] == text:
            return known[1]
        tree = _Guard(self._paths.index(path)).visit(ast.parse(text))
        code = compile(tree, path, "exec", dont_inherit=True)
        if text == self._files[path]:
            self._codes[path] = (text, code)
        return code

    def _tick(self, file: int, line: int) -> None:
        self.lines.add((file, line))
        self.left -= 1
        if self.left < 0:
            raise Spent

    def _builtins(self, texts: dict[str, str]) -> dict[str, Any]:
        space = dict(vars(builtins))
        for name in REFUSED:
            space[name] = _refusal(name)

        def load(name: str, space: Any = None, _locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            return self._import(name, dict(space or {}), fromlist, level, texts)

        def show(*values: Any, sep: str | None = None, end: str | None = None, **_: Any) -> None:
            self.printed.append((" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end))

        space["__import__"], space["print"] = load, show
        return space

    def _import(self, name: str, space: dict[str, Any], fromlist: Any, level: int, texts: dict[str, str]) -> Any:
        if level:
            folder = self._package(str(space.get("__file__", "")), level)
            for path in (f"{folder}/{name.replace('.', '/')}.py", f"{folder}/__init__.py"):
                if path in texts and name:
                    return self._load(path, path, texts)
            raise Unsupported(f"relative import {name}")
        if name in self._modules:
            module = self._load(name, self._modules[name], texts)
            if "." in name and not fromlist:
                raise Unsupported(f"import {name}")
            return module
        if name not in ALLOWED:
            raise Unsupported(f"import {name}")
        if name == "sys":
            return self._sys()
        module = importlib.import_module(name)
        if name == "time":
            return _time(module)
        return module if fromlist or "." not in name else importlib.import_module(name.partition(".")[0])

    def _package(self, path: str, level: int) -> str:
        for _ in range(level):
            path = path.rpartition("/")[0]
        return path

    def _sys(self) -> types.ModuleType:
        stub = types.ModuleType("sys")
        stub.__dict__.update(
            argv=self._argv,
            maxsize=sys.maxsize,
            version_info=sys.version_info,
            float_info=sys.float_info,
            stdout=io.StringIO(),
            stderr=io.StringIO(),
            exit=sys.exit,
            platform=sys.platform,
            path=[],
        )
        stub.__dict__["setrecursionlimit"] = lambda _limit: None  # pyright: ignore[reportUnknownLambdaType] its argument is not used
        stub.__dict__["getrecursionlimit"] = sys.getrecursionlimit
        return stub


def _time(module: types.ModuleType) -> types.ModuleType:
    stub = types.ModuleType("time")
    stub.__dict__.update({k: v for k, v in vars(module).items() if not k.startswith("_")})
    stub.__dict__["sleep"] = lambda _seconds: None  # pyright: ignore[reportUnknownLambdaType] its argument is not used
    return stub


def _refusal(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise Unsupported(name)

    return refuse


def lock(cpu_seconds: int) -> None:
    """Closes the process: from here on nothing can be opened, started or sent. Cannot be undone."""
    for name in ALLOWED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for lazy in ("_strptime", "_pydecimal", "encodings.idna", "locale"):
        with contextlib.suppress(ImportError):
            importlib.import_module(lazy)
    try:
        import resource  # noqa: PLC0415  not on Windows
    except ImportError:
        pass
    else:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    sys.addaudithook(_audit)


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    if event not in EVENTS:
        raise Unsupported(event)
