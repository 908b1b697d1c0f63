"""Stops the parent of a failed multiprocessing child.

The child reports its failure through a pipe, and the parent stops where it waits for the child. Such a child runs
without a debugger. A forked child inherits the hooks for errors; a spawned one, or one from a fork server, runs our
code before multiprocessing's own.

This source text runs in the debuggee as part of dead_ends.py. It uses only the standard library, on Python 3.8 and
newer.
"""

from __future__ import annotations

from pathlib import Path

_REPORT = (Path(__file__).parent / "rank" / "failure_report.py").read_text("utf-8")
_INSPECTOR = str(Path(__file__).parents[1] / "inspector")
_TELLING = (
    _REPORT
    + r"""
import functools, os, sys

INJECT = @INSPECTOR@

def is_called_by(file, function):
    frame = sys._getframe(2)
    for _ in range(40):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_name == function and code.co_filename.replace("\\", "/").endswith(file):
            return True
        frame = frame.f_back

def telling(made_by, ends, otherwise=lambda exc: None):
    # Of `traceback.TracebackException.__init__`, which multiprocessing calls of what ends a child.
    @functools.wraps(made_by)
    def __init__(self, exc_type, exc_value, *rest, **options):
        made_by(self, exc_type, exc_value, *rest, **options)
        if options.get("_seen") is not None:
            return
        end = ends()
        if end is None:
            otherwise(exc_value)
        elif is_called_by("/multiprocessing/process.py", "_bootstrap"):
            send_failure(exc_value, end, INJECT)

    return __init__
""".replace("@INSPECTOR@", repr(_INSPECTOR))
)

_FIRST = f"""{_TELLING}
import traceback
traceback.TracebackException.__init__ = telling(traceback.TracebackException.__init__, lambda: end)
"""

_PARENT = r"""
ROOM = 1 << 20
children = {}

def pipe():
    if "ends" not in children:
        children["ends"] = os.pipe()
        for end in children["ends"]:
            os.set_blocking(end, False)  # a child would wait for room as long as its parent waits for the child
        enlarge(children["ends"][1])
    return children["ends"]

def enlarge(end):
    try:
        import fcntl
        fcntl.fcntl(end, 1031, ROOM)  # F_SETPIPE_SZ, which Python names since 3.10
    except Exception:
        pass  # not on Linux, or there is no more for this user

def watch_children():
    if "joined" in children or getpid() != pid:
        return
    from multiprocessing import process
    children["joined"] = pipe()
    plain = process.BaseProcess.join

    @functools.wraps(plain)
    def join(self, *arguments, **options):
        result = plain(self, *arguments, **options)
        try:
            if getpid() == pid and self.exitcode:
                stop_at_child(self, current_frame(1))
        except Exception:
            pass  # the program waits for its child, and no more
        return result

    process.BaseProcess.join = join

def before_fork():
    if "multiprocessing.process" in sys.modules:
        watch_children()

def watch_spawned():
    try:
        import _posixsubprocess
    except ImportError:  # not on Windows
        return
    plain = _posixsubprocess.fork_exec

    def fork_exec(args, executables, close_fds, kept, *more):
        try:
            args, kept = told_first(args, kept)
        except Exception:
            pass  # it starts as it would have
        return plain(args, executables, close_fds, kept, *more)

    _posixsubprocess.fork_exec = fork_exec  # subprocess has its own name for it

def told_first(args, kept):
    args = list(args)
    at = args.index("-c") + 1
    if args[at].startswith(("from multiprocessing.spawn ", "from multiprocessing.forkserver ")) and getpid() == pid:
        watch_children()
        end = children["ends"][1]
        args[at] = "exec(compile(%r, '<frozen dap_ai>', 'exec'), {'end': %d})\n%s" % (FIRST, end, args[at])
        kept = tuple(sorted({*kept, end}))
    return args, kept

def sent_by(number):
    # The traceback of that child, with its exception; the values in its failing line, in a line; all as JSON.
    try:
        said = os.read(children["ends"][0], ROOM).decode("utf-8", "replace")
    except BlockingIOError:
        said = ""
    for each in said.split("\0"):
        sender, _, text = each.partition("\n")
        if sender:
            children[sender] = children.get(sender, "") + text if text[:1] == "\1" else text
    text, *pieces = children.pop(str(number), "").split("\1")
    told, _, values = text.rpartition("\n")
    return told, values, "".join(pieces)

def cause_of(told, frames):
    # inspector/exceptions.py finds the frames there.
    from multiprocessing.pool import RemoteTraceback
    cause = RemoteTraceback(told)
    cause.__frames__ = frames
    return cause

def traceback_at(frame):
    return types.TracebackType(None, frame, frame.f_lasti, frame.f_lineno)

def stop_at_child(process, frame):
    while frame is not None and not debugger.in_project_scope(frame):
        frame = frame.f_back
    told, _, frames = sent_by(process.pid)
    if frame is None or not told:
        return
    exc = ChildProcessError("%s has failed: %s" % (process.name, told.rpartition("\n")[2]))
    exc.__cause__ = cause_of(told, frames)
    stop(exc.with_traceback(traceback_at(frame)))

def end_of_child():
    # Where this is one that was forked: of the pipe.
    return children["ends"][1] if getpid() != pid and "ends" in children else None
"""

CHILDREN = f"{_TELLING}\nFIRST = {_FIRST!r}\n{_PARENT}"
"""Source text that watches multiprocessing children.

The text needs `debugger`, `stop`, `getpid`, `pid`, `current_frame` and the modules of dead_ends.py.
"""
