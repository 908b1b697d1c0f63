"""Starts debugpy, or its launcher, without a report of the environment that nobody reads.

    debugpy_launcher.py DEBUGPY/launcher PORT -- ...    in place of `DEBUGPY/launcher PORT -- ...`
    debugpy_launcher.py DEBUGPY --connect ...           in place of `DEBUGPY --connect ...`; the launcher starts it so

Each process of debugpy lists every installed package for its log, reading the metadata of each several times, and
throws that away unless a log was asked for: 0.1 s and more in an environment of seventy packages, four times a launch.

A script for any Python from 3.8 on, which may know neither dap_ai nor a debugpy of its own: it needs nothing
beside it. debugpy shows nobody the frames of a file of this name.
"""

import os
import sys
from typing import Any

_UNREAD = "getattr(log, 'log_dir', '') is None and 'info' not in getattr(log.stderr, 'levels', ['info'])"
SPARE = (
    f"(lambda log: {_UNREAD} and setattr(log, 'describe_environment', lambda header: None))"
    "(__import__('debugpy.common.log', fromlist=['log']))"
)
"""An expression for any process that has imported debugpy: no report from now on, if there is no log."""


def start(part: str) -> None:
    """Runs debugpy's package folder `part`, or the launcher in it, as Python would run that folder."""
    launches = os.path.basename(part) == "launcher"  # noqa: PTH119  paths of editors may hold `..`, which pathlib does not fold
    if sys.path[:1] == [os.path.dirname(os.path.abspath(__file__))]:  # noqa: PTH100, PTH120  not with -I, -P
        del sys.path[0]
    sys.path.insert(0, os.path.abspath(os.path.join(part, "..", *[".."] * launches)))  # noqa: PTH100, PTH118
    __import__("debugpy")  # by this path, which the program is not to see
    del sys.path[0]
    eval(SPARE)  # noqa: S307  a constant of ours
    if launches:
        _start_launcher(part)
    else:
        from debugpy.server import cli  # noqa: PLC0415

        cli.main()


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
        os.tcsetpgrp = _leave_terminal  # debugpy's launcher calls it for nothing else
    runpy.run_path(os.path.join(part, "__main__.py"), run_name="__main__")  # noqa: PTH118


def _leave_terminal(_fd: int, _group: int) -> None:
    """Stands for `os.tcsetpgrp` where the terminal is not ours to give."""


def _may_take_terminal() -> bool:
    """Whether this process or the one that started it is in the foreground, if there is a terminal.

    debugpy makes the program the foreground in any case. Below a job in the background that takes the terminal from
    the shell, whose next read then fails: an interactive bash exits.
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
