"""Ranks that a launcher starts by `subprocess`: one that fails is named, and each runs as it would without dap_ai."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from tests.conftest import DIFFERING_PYTHONS
from tests.patience import patient

ASK = [sys.executable, "-m", "dap_ai", "ask", "--json"]
WORKER = """
import os, sys

def shard(rows, rank, world):
    return len(rows) // (world - rank - 2)

rank = int(os.environ.get("RANK") or os.environ.get("OMPI_COMM_WORLD_RANK") or sys.argv[-1])
shard([1, 2, 3], rank, 4)
"""
START = """
import os, subprocess, sys
here = os.path.dirname(os.path.abspath(__file__))
worker = [sys.executable, os.path.join(here, "worker.py")]
"""
LAUNCHERS = {
    "argument": """
        ranks = [subprocess.Popen([*worker, "--rank", str(i)]) for i in range(4)]
        sys.exit(any([rank.wait() for rank in ranks]))
    """,
    "RANK": """
        ranks = [subprocess.Popen(worker, env={**os.environ, "RANK": str(i)}) for i in range(4)]
        while None in [rank.poll() for rank in ranks]:
            pass
        sys.exit(any(rank.returncode for rank in ranks))
    """,
    "OMPI_COMM_WORLD_RANK, errors read, exit code": """
        for i in range(4):
            done = subprocess.run(worker, env={**os.environ, "OMPI_COMM_WORLD_RANK": str(i)}, capture_output=True)
            if done.returncode:
                sys.exit("a rank failed")
    """,
    "errors read, check_call": """
        for i in range(4):
            subprocess.check_output([*worker, "--local-rank", str(i)], stderr=subprocess.DEVNULL)
    """,
}


def asked(folder, program):
    """Texts of the stops and answers, and how the program ended."""
    done = subprocess.run([*ASK, program], cwd=folder, capture_output=True, timeout=patient(90.0), check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    stops = [line["text"] for line in lines if line["event"] == "stopped"]
    answers = [line["answer"] for line in lines if line["event"] == "askEnded"]
    return stops, answers, done.stderr.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_rank_that_fails_is_named_with_its_command_its_line_and_the_values_there(tmp_path, launcher):
    (tmp_path / "worker.py").write_text(WORKER, encoding="utf-8")
    (tmp_path / "launcher.py").write_text(START + textwrap.dedent(LAUNCHERS[launcher]), encoding="utf-8")
    stops, answers, error = asked(tmp_path, "launcher.py")
    assert len(answers) == 1, error
    assert stops == ["ChildProcessError"]
    assert "Rank 2 (`python" in answers[0] and "worker.py" in answers[0]
    assert "rank = 2" in answers[0] and "world = 4" in answers[0]
    assert "`world - rank - 2` is zero at `worker.py:5`" in answers[0]


def test_a_child_that_is_planned_to_fail_stops_nothing(tmp_path):
    (tmp_path / "worker.py").write_text(WORKER, encoding="utf-8")
    text = START + 'code = subprocess.run([*worker, "2"], capture_output=True).returncode\nprint([][code])\n'
    (tmp_path / "launcher.py").write_text(text, encoding="utf-8")
    stops, _, error = asked(tmp_path, "launcher.py")
    assert [stop.partition(":")[0] for stop in stops] == ["IndexError"], error


CHILD = """
import os, sys
names = sorted(name for name in sys.modules if "custom" in name or "dap_ai" in name)
env = sorted(os.environ.items() - {("_", os.environ.get("_"))})
print(sys.argv, sys.path, sys.flags, sys.warnoptions, names, getattr(sys, "seen", None), sys.excepthook is sys.__excepthook__)
print([each for each in env if "DAP_AI" in each[0] or "PYTHON" in each[0]])
"""
RUNS = """
import os, subprocess, sys
pythons = sys.argv[2:]
here = os.path.dirname(os.path.abspath(__file__))
child = os.path.join(here, "child.py")
ours = {**os.environ, "PYTHONPATH": os.path.join(here, "site")}
with open(sys.argv[1], "w") as told:
    for python in pythons:
        for options, more in [([], {}), (["-I"], {}), (["-E"], {}), (["-S"], {}), ([], {"env": ours}),
                              ([], {"close_fds": False}), (["-W", "ignore"], {"env": {}})]:
            run = subprocess.run([python, *options, child, "a"], capture_output=True, text=True, **more)
            print(options, run.returncode, run.stdout, run.stderr, file=told)
    print(subprocess.run(sys.executable + " -c 'import os; print(os.environ.get(\\"PYTHONPATH\\"))'", shell=True,
                         capture_output=True, text=True), file=told)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
def test_children_of_any_python_run_as_without_dap_ai(tmp_path, python_versions):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.seen = 'the user\\'s'\n", encoding="utf-8")
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    (tmp_path / "runs.py").write_text(RUNS, encoding="utf-8")
    told = []
    for name, start in (("plain", [sys.executable]), ("asked", ASK)):
        out = tmp_path / name
        command = [*start, "runs.py", str(out), *map(str, python_versions.values())]
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=patient(90.0), check=False)
        told.append(out.read_text(encoding="utf-8"))
    assert told[0].count("the user's") == len(python_versions)
    assert told[1].splitlines() == told[0].splitlines()


HOSTILE = {
    "objects that talk when they are looked at": """
        class Loud:
            def __getattribute__(self, name): print("attribute", name); return object.__getattribute__(self, name)
            def __repr__(self): print("repr"); return "loud"
            def __eq__(self, other): print("eq"); return True
            def __hash__(self): print("hash"); return 1
            def __len__(self): print("len"); return 1
            def __del__(self): print("del")
            size = property(lambda self: print("property"))
        class Error(Exception):
            def __str__(self): print("str"); return "talks"
            __traceback__ = property(lambda self: print("traceback"))
        def work(loud, few):
            try:
                few.append(loud)
                cycle = [loud]; cycle.append(cycle)
                raise Error(loud, loud.size, few[0], {loud: cycle}) if few else None
            finally:
                few.clear()
        work(Loud(), [])
    """,
    "builtins replaced": """
        import builtins
        def replaced(name): return lambda *args, **options: print("the program's", name) or 1
        def work(n):
            try:
                assert n == 2
            finally:
                builtins.open, builtins.compile = replaced("open"), replaced("compile")
        work(1)
    """,
    "the library replaced": """
        import gc, io, os, re, sys, time
        def replaced(name): return lambda *args, **options: print("the program's", name) or 1
        def work(n):
            try:
                assert n == 2
            finally:
                time.process_time = time.monotonic = time.perf_counter = replaced("time")
                re.match, gc.get_referents = replaced("match"), replaced("referents")
                sys.getsizeof, os.getcwd = replaced("getsizeof"), replaced("getcwd")
        work(1)
    """,
    "a large state and many frames": """
        rows = [{"row": [n] * 3} for n in range(50_000)]
        def down(n, rows): return down(n - 1, rows) + n
        down(10_000, rows)
    """,
    "what is no exception": """
        import sys
        def hook(kind, exc, tb): sys.last_value = {"n": 1}; print("hooked")
        sys.excepthook = hook
        1 / 0
    """,
    "a thread that goes on": """
        import threading, time
        state = {}
        def busy():
            for n in range(10**9): state[n % 1000] = state.pop((n + 7) % 1000, n)
        threading.Thread(target=busy, daemon=True).start()
        time.sleep(0.05)
        assert state is None
    """,
}
HOSTILE_RUNS = """
import os, subprocess, sys
with open(sys.argv[1], "w") as told:
    for python in sys.argv[3:]:
        run = subprocess.run([python, "-X", "dev", "-W", "error", sys.argv[2]], capture_output=True, text=True)
        print(python, run.returncode, run.stdout, run.stderr, file=told)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
@pytest.mark.parametrize("program", HOSTILE)
def test_a_child_that_fails_ends_as_without_dap_ai_whatever_its_objects_do(tmp_path, python_versions, program):
    pythons = [str(python_versions[version]) for version in DIFFERING_PYTHONS if version in python_versions]
    (tmp_path / "child.py").write_text(textwrap.dedent(HOSTILE[program]), encoding="utf-8")
    (tmp_path / "runs.py").write_text(HOSTILE_RUNS, encoding="utf-8")
    told = []
    for name, start in (("plain", [sys.executable]), ("asked", ASK)):
        command = [*start, "runs.py", str(tmp_path / name), "child.py", *pythons]
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=patient(90.0), check=False)
        told.append((tmp_path / name).read_text(encoding="utf-8"))
    assert told[0]
    assert told[1].splitlines() == told[0].splitlines()


CLEANED = """
import os, subprocess, sys

class Box:
    def __init__(self, n):
        self.n = n

def work(box, limit):
    try:
        assert box.n > limit
    finally:
        box.n = 5000 + limit

if sys.argv[1:]:
    password = "hunter" + "2" * 7
    work(Box(3), 10)
sys.exit(subprocess.call([sys.executable, __file__, "a"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
def test_a_value_that_a_cleanup_of_the_child_may_have_changed_is_told_as_that_of_now(tmp_path):
    (tmp_path / "program.py").write_text(CLEANED, encoding="utf-8")
    _, (answer,), error = asked(tmp_path, "program.py")
    assert "`box.n` (`5010` now)" in answer, error
    assert "with limit = 10: AssertionError" in answer
    assert all("now" in line for line in answer.splitlines() if "5010" in line)


MANY = """
import os, subprocess, sys
if sys.argv[1:]:
    def work(rows):
        a, b, c, d, e, f = ({n: text + str(n) * 20 for n in range(9)} for text in "abcdef")
        return rows[a]
    work([])
ranks = [subprocess.Popen([sys.executable, __file__, "a"], stderr=None) for _ in range(30)]
for rank in ranks:
    os.waitid(os.P_PID, rank.pid, os.WEXITED | os.WNOWAIT)
ranks[-1].wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a pipe")
def test_children_that_fail_do_not_wait_for_their_parent_to_hear_of_it(tmp_path):
    (tmp_path / "program.py").write_text(MANY, encoding="utf-8")
    stops, (answer,), error = asked(tmp_path, "program.py")
    assert stops == ["ChildProcessError"], error
    assert "the values that it sent" in answer
