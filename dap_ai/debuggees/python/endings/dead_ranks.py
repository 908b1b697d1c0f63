"""Stops the parent of a failed Python child that `subprocess` started, and names the child's rank.

Such a child runs without a debugger. It starts with rank/sitecustomize.py and reports its failure through the pipe of
dead_children.py. If the child shares its parent's standard error, the user has seen the traceback, and the parent stops
where it learns that the child ended. If the parent reads the child's errors itself, it may expect the failure: then the
parent stops only if it ends because of the failure, by an exit code or CalledProcessError. A child that ignores
PYTHONPATH (`-E`, `-I`, `-S`), or inherits every descriptor, is left alone.

This source text runs in the debuggee as part of dead_ends.py. It uses only the standard library, on Python 3.8 and
newer.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = str(Path(__file__).with_name("rank"))

RANKS = r"""
import re, subprocess

RANK_FOLDER = @FOLDER@
RANK_NAMES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK")
IS_PYTHON = re.compile(r"(python|pypy)[\d.]*[a-z]?(\.exe)?$", re.IGNORECASE)
TAKES_NO_PATH = re.compile(r"-[A-Za-z]*[EIS]")
ranks = {}  # process id: what the user calls it, its command, whether it has shown its traceback itself
failed = {}  # the same of those that have failed, and what each has sent of its end

def options_of(args):
    for each in args[1:]:
        if not each.startswith("-"):
            return
        yield each

def rank_of(args, env):
    for at, each in enumerate(args):
        name, _, value = each.partition("=")
        if name in ("--rank", "--local-rank", "--local_rank"):
            return value or "".join(args[at + 1:at + 2])
    return next((env[name] for name in RANK_NAMES if name in env), "")

def is_heard(args, close_fds, env):
    return (getpid() == pid and close_fds and isinstance(args, (list, tuple)) and args
            and all(isinstance(each, (str, os.PathLike)) for each in args)
            and all(isinstance(each, str) for each in env)
            and IS_PYTHON.match(os.path.basename(os.fspath(args[0])))
            and not any(map(TAKES_NO_PATH.match, options_of([os.fspath(each) for each in args]))))

def heard_child(plain):
    @functools.wraps(plain)
    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *more):
        about = None
        try:
            own = dict(os.environ if env is None else env)
            if not more[2] and is_heard(args, close_fds, own):
                words, end = [os.fspath(each) for each in args], pipe()[1]
                about = rank_of(words, own), words, more[8] == -1
                before = ":" + own["PYTHONPATH"] if "PYTHONPATH" in own else ""
                own["DAP_AI_RANK"] = "%d:%d:%s" % (end, pid, before)
                own["PYTHONPATH"] = os.pathsep.join([RANK_FOLDER] + ([before[1:]] if before[1:] else []))
                env, pass_fds = own, tuple(sorted({*pass_fds, end}))
        except Exception:
            pass  # it starts as it would have
        plain(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *more)
        if about is not None:
            ranks[self.pid] = about

    return _execute_child

def heard_end(plain):
    @functools.wraps(plain)
    def call(self, *arguments, **options):
        code = plain(self, *arguments, **options)
        try:
            if code and self.pid in ranks and getpid() == pid:
                stop_at_rank(self, current_frame(1))
        except Exception:
            pass  # the program waits for its child, and no more
        return code

    return call

def stop_at_rank(process, frame):
    rank, words, shown = ranks.pop(process.pid)
    sent = sent_by(process.pid)
    if not sent[0]:
        return
    failed[process.pid] = rank, words, sent
    while frame is not None and not debugger.in_project_scope(frame):
        frame = frame.f_back
    if shown and frame is not None:
        stop(error_of_rank(process.pid).with_traceback(traceback_at(frame)))

def error_of_rank(number):
    rank, words, (told, values, frames) = failed.pop(number)
    head = told.rpartition("\n")[2]
    spot = re.findall('File "([^"\n]+)", line ([0-9]+)', told)
    command = " ".join([os.path.basename(words[0])] + words[1:])[:300]
    name = "Rank %s (`%s`)" % (rank, command) if rank else "`%s`" % command
    place = " at %s:%s" % (os.path.basename(spot[-1][0]), spot[-1][1]) if spot else ""
    exc = ChildProcessError("%s has failed%s%s: %s" % (name, place, values and " with " + values, head))
    exc.__cause__ = cause_of(told, frames)
    return exc

def stop_at_exit(exc):
    # A program that ends with an exit code, after a child whose traceback nobody has seen.
    if not isinstance(exc, SystemExit) or not exc.code or not failed or getpid() != pid:
        return
    frames = [each for each in frames_of(traceback_of(exc)) if debugger.in_project_scope(each)]
    if frames:
        stop(error_of_rank(next(iter(failed))).with_traceback(traceback_at(frames[-1])))

def of_a_rank(frame, arg):
    # The program's own words for a child that has failed say nothing of why.
    found = [number for number in failed if is_due_to(arg[1], failed[number][1])]
    if not found or getpid() != pid:
        return frame, arg
    exc = error_of_rank(found[0])
    return frame, (type(exc), exc, arg[2])

def is_due_to(exc, words):
    if isinstance(exc, subprocess.CalledProcessError):
        return isinstance(exc.cmd, (list, tuple)) and [os.fspath(each) for each in exc.cmd] == words
    return isinstance(exc, SystemExit) and bool(exc.code)

def watch_ranks():
    if not hasattr(os, "getppid") or os.name == "nt":
        return
    popen = subprocess.Popen
    popen._execute_child = heard_child(popen._execute_child)
    popen.wait, popen.poll = heard_end(popen.wait), heard_end(popen.poll)
""".replace("@FOLDER@", repr(FOLDER))
"""Source text that watches children of `subprocess`.

The text needs the names that dead_children.py needs, and its `pipe`, `sent_by`, `cause_of` and `traceback_at`.
"""
