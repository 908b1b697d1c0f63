"""Starts debugpy or its launcher, without the report about the environment that debugpy writes to its log.

    debugpy_launcher.py DEBUGPY/launcher PORT -- ...    in place of `DEBUGPY/launcher PORT -- ...`
    debugpy_launcher.py DEBUGPY --connect ...           in place of `DEBUGPY --connect ...`; used by the launcher

Each process of debugpy lists every installed package for its log, reading the metadata of each several times, and
discards the list unless a log was requested. That takes over 0.1 s in an environment of seventy packages, four times
per launch. debugpy also loads standard-library modules that a file beside the program may shadow. These modules are
removed from `sys.modules` before the program starts, so that it imports the same modules as under plain Python.

A standalone script for Python 3.8 and later, which needs neither dap_ai nor debugpy to be installed. debugpy hides the
frames of a file with this name.
"""

import sys

_AT_START = frozenset(sys.modules)
"""Names of the modules that Python itself has loaded; a file beside a program never shadows them."""

import os  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import Any  # noqa: E402

_STAYING = ("importlib", "pkgutil", "threading")
_UNREAD = "getattr(log, 'log_dir', '') is None and 'info' not in getattr(log.stderr, 'levels', ['info'])"
SPARE = (
    f"(lambda log: {_UNREAD} and setattr(log, 'describe_environment', lambda header: None))"
    "(__import__('debugpy.common.log', fromlist=['log']))"
)
"""An expression that disables the report unless a log is written, in any process that has imported debugpy."""


def start(part: str) -> None:
    """Run debugpy's package folder `part`, or its launcher folder, as `python FOLDER` would."""
    launches = os.path.basename(part) == "launcher"  # noqa: PTH119  paths of editors may hold `..`, which pathlib does not fold
    if sys.path[:1] == [os.path.dirname(os.path.abspath(__file__))]:  # noqa: PTH100, PTH120  not with -I, -P
        del sys.path[0]
    sys.path.insert(0, os.path.abspath(os.path.join(part, "..", *[".."] * launches)))  # noqa: PTH100, PTH118
    __import__("debugpy")  # from this path entry, which is removed before the program runs
    del sys.path[0]
    eval(SPARE)  # noqa: S307  a constant of ours
    if launches:
        _start_launcher(part)
    else:
        from debugpy.server import cli as untyped  # noqa: PLC0415

        cli: Any = untyped
        _forget_before(cli.runpy)
        cli.main()


def _forget_before(runpy: Any) -> None:
    """Make runpy drop shadowed modules before it runs a program, so that the program imports its own."""
    for name in ("run_path", "_run_module_as_main"):
        plain: Any = getattr(runpy, name, None)
        if plain is not None:
            setattr(runpy, name, _forgetting(plain))


def _forgetting(run: Any) -> Any:
    def forget_and_run(*arguments: Any, **named: Any) -> Any:
        forget_shadowed(sys.path[0])
        return run(*arguments, **named)

    return forget_and_run


def forget_shadowed(folder: str) -> None:
    """Remove from `sys.modules` the standard-library modules that `folder` shadows, and modules that use them.

    Modules that Python loaded for itself stay, because they are never shadowed. Modules in _STAYING stay although they
    use a shadowed module: a second `threading` would not know the threads of the first, and runpy is about to use the
    others.
    """
    library = {name: module for name, module in list(sys.modules.items()) if _is_of_library(name, module)}
    names = {name for name in library if "." not in name and _is_shadowed(name, folder)}
    packages, size = frozenset(names), 0
    while size != len(names):
        size = len(names)
        names.update(
            name
            for name, module in library.items()
            if name.partition(".")[0] in packages or (name not in _STAYING and _uses(module, names))
        )
    for name in names:
        del sys.modules[name]


def _is_of_library(name: str, module: Any) -> bool:
    origin = str(getattr(getattr(module, "__spec__", None), "origin", None))
    debugger = os.path.dirname(os.path.dirname(sys.modules["debugpy"].__file__ or ""))  # noqa: PTH120
    library = os.path.dirname(os.__file__)  # noqa: PTH120
    return name not in _AT_START and origin.startswith(library + os.sep) and not origin.startswith(debugger + os.sep)


def _is_shadowed(name: str, folder: str) -> bool:
    """Return whether `folder`, the first entry of `sys.path`, holds another module with a loaded module's name."""
    from importlib import machinery  # noqa: PLC0415

    found = machinery.PathFinder.find_spec(name, [folder])
    loaded = getattr(sys.modules[name].__spec__, "origin", None)
    return found is not None and found.loader is not None and found.origin != loaded


def _uses(module: Any, names: "set[str]") -> bool:
    """Return whether a module's globals include a module in `names`, or a class or function from such a module."""
    kinds, own = (type, type(_uses)), module.__name__ + "."
    contents: dict[str, Any] = module.__dict__
    return any(
        (isinstance(x, ModuleType) and x.__name__ in names) or (isinstance(x, kinds) and x.__module__ in names)
        for x in list(contents.values())
        if not getattr(x, "__name__", "").startswith(own)
    )


def _start_launcher(part: str) -> None:
    import runpy  # noqa: PLC0415

    from debugpy.launcher import debuggee as untyped  # noqa: PLC0415

    debuggee: Any = untyped
    plain = debuggee.spawn
    whole = os.path.dirname(sys.modules["debugpy"].__file__ or "")  # noqa: PTH120

    def spawn(process_name: Any, cmdline: Any, *more: Any) -> Any:
        at = cmdline.index(whole) if whole in cmdline else 0  # not with `noDebug`
        return plain(process_name, [*cmdline[:at], *[__file__] * (at > 0), *cmdline[at:]], *more)

    debuggee.spawn = spawn
    if not _may_take_terminal():
        os.tcsetpgrp = _leave_terminal  # the only use of it in debugpy's launcher
    runpy.run_path(os.path.join(part, "__main__.py"), run_name="__main__")  # noqa: PTH118


def _leave_terminal(_fd: int, _group: int) -> None:
    """Do nothing: replaces `os.tcsetpgrp` while we are not in the foreground."""


def _may_take_terminal() -> bool:
    """Return whether this process or its parent is in the foreground; True without a terminal.

    debugpy always makes the program's process group the foreground group. If a background job starts debugpy, that
    takes the terminal from the shell, whose next read fails, and an interactive bash exits.
    """
    if sys.platform == "win32":
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return True
    try:
        return os.tcgetpgrp(terminal) in (os.getpgrp(), os.getpgid(os.getppid()))
    except OSError:
        return True
    finally:
        os.close(terminal)


if __name__ == "__main__":
    del sys.argv[0]
    start(sys.argv[0])
