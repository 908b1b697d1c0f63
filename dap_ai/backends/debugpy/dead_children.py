"""What ends a child of multiprocessing: the child tells it by a pipe, and the parent stops where it waits for it.

Such a child runs without a debugger. A forked one has inherited what watches for errors; one that is spawned, or comes
from a fork server, begins with code of ours, ahead of multiprocessing's own. Text that is run in the debuggee, as part
of dead_ends.py: the standard library only, Python 3.8 on.
"""

from __future__ import annotations

_TELLING = r"""
import functools, os, sys

def is_called_by(file, function):
    frame = sys._getframe(2)
    for _ in range(40):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_name == function and code.co_filename.replace("\\", "/").endswith(file):
            return True
        frame = frame.f_back

def rows_of(exc):
    tb = BaseException.__dict__["__traceback__"].__get__(exc)
    while tb is not None:
        yield tb.tb_frame.f_code.co_filename, tb.tb_lineno, tb.tb_frame.f_code.co_name
        tb = tb.tb_next

def tell_parent(exc, end):
    rows = list(rows_of(exc))
    for most in (12, 3):
        text = "Traceback (most recent call last):\n"
        text += "".join('  File "%s", line %d, in %s\n' % row for row in rows[-most:])
        text += "%s: %s" % (type(exc).__name__, str(exc)[:300])
        told = ("%d\n%s\0" % (os.getpid(), text)).encode("utf-8", "replace")
        if len(told) <= 4096:  # more may be mixed with what another child writes
            os.write(end, told)
            return

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
            try:
                tell_parent(exc_value, end)
            except Exception:
                pass  # its own traceback matters more

    return __init__
"""

_FIRST = f"""{_TELLING}
import traceback
traceback.TracebackException.__init__ = telling(traceback.TracebackException.__init__, lambda: end)
"""

_PARENT = r"""
children = {}

def pipe():
    if "ends" not in children:
        children["ends"] = os.pipe()
        os.set_blocking(children["ends"][0], False)
    return children["ends"]

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
    try:
        said = os.read(children["ends"][0], 65536).decode("utf-8", "replace")
    except BlockingIOError:
        said = ""
    for each in said.split("\0"):
        sender, _, text = each.partition("\n")
        if sender:
            children[sender] = text
    return children.pop(str(number), "")

def traceback_at(frame):
    return types.TracebackType(None, frame, frame.f_lasti, frame.f_lineno)

def stop_at_child(process, frame):
    while frame is not None and not debugger.in_project_scope(frame):
        frame = frame.f_back
    text = sent_by(process.pid)
    if frame is None or not text:
        return
    from multiprocessing.pool import RemoteTraceback
    exc = ChildProcessError("%s has failed: %s" % (process.name, text.rpartition("\n")[2]))
    exc.__cause__ = RemoteTraceback(text)
    stop(exc.with_traceback(traceback_at(frame)))

def end_of_child():
    # Where this is one that was forked: of the pipe.
    return children["ends"][1] if getpid() != pid and "ends" in children else None
"""

CHILDREN = f"{_TELLING}\nFIRST = {_FIRST!r}\n{_PARENT}"
"""Wants `debugger`, `stop`, `getpid`, `pid`, `current_frame` and the modules of dead_ends.py."""
