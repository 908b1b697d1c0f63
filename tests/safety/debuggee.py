"""The program under test: builds a scene of hostile and harmless objects, stops, and tells its own state on request.

    python debuggee.py FOLDER           runs the set-ups of FOLDER/scene.json and stops at the breakpoint
    python debuggee.py FOLDER prove     evaluates each hostile case for real, each in a forked process, and prints
                                        as JSON what came of it: how we know that a case is hostile and is seen

Standard library only; runs on Python 3.8 to 3.14.
"""

# ruff: noqa: S102, S307, BLE001, SIM105  it evaluates the corpus, which is ours
# ruff: noqa: PTH100, PTH103, PTH107, PTH118, PTH120, PTH123, PTH207  starts before anything is patched, with little

from __future__ import annotations

import glob
import json
import os
import resource
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from state import State  # beside this file, wherever it is run from

HANG_S = {"hangs": 0.3}
"""How long a case is waited for that should hang; any other has SLOW_S."""

SLOW_S = 10.0
MOST_MEMORY = 6 << 30
"""Bytes of address space: a bomb that nothing contains fails here instead of taking the machine along."""

SIGNALS = ("SIGUSR1", "SIGUSR2", "SIGHUP", "SIGCHLD", "SIGALRM", "SIGTERM", "SIGWINCH", "SIGURG")

hits: list[str] = []
"""Each call of the program's own code by an object of the corpus."""


def hit(name, value=1):
    hits.append(name)
    return value


def rest(stop):
    stop.wait()


def redirect(folder):
    """Standard streams on files of the folder, so that what is written shows among the files."""
    os.makedirs(folder)
    for number, name in ((1, "out"), (2, "err")):
        descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)


def build(folder, wanted):
    """(scene, cases): the names that all set-ups made, and the cases whose modules are there."""
    files = os.path.join(folder, "files")
    with open(os.path.join(files, "secret"), "w") as file:
        file.write(wanted["secret"])
    scene = {"__name__": "scene", "hit": hit, "folder": files, "os": os, "sys": sys}
    cases = []
    for group in wanted["groups"]:
        try:
            for module in group["needs"]:
                __import__(module)
        except ImportError:
            continue
        exec(compile(group["setup"], "<scene>", "exec", dont_inherit=True), scene)
        cases.extend(group["cases"])
    return scene, cases


def count_signals(received):
    for name in SIGNALS:
        signal.signal(getattr(signal, name), lambda number, _: received.append(number))


def prove(scene, state, cases):
    """What evaluating each case for real does: {name: changed, reads, ends, hangs or nothing}."""
    found = {}
    for name, expression, effect in cases:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            os.setpgid(0, 0)
            before = state.text()
            try:
                value = str(eval(expression, scene))
            except BaseException as error:
                value = str(type(error))
            words = ["reads"] if scene["secret"] in value else []
            words += ["changes"] if state.text() != before else []
            os.write(write, ",".join(words).encode() or b"nothing")
            os._exit(0)
        os.close(write)
        found[name] = outcome(read, child, HANG_S.get(effect, SLOW_S))
    return found


def outcome(read, child, limit_s):
    """What a proving child wrote, or how it ended; nothing of it is left."""
    deadline = time.monotonic() + limit_s
    ended = False
    while not ended and time.monotonic() < deadline:
        ended = os.waitpid(child, os.WNOHANG)[0] == child
        time.sleep(0.001)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    words = os.read(read, 100).decode()
    os.close(read)
    return words or ("ends" if ended else "hangs")


def main():
    folder = os.path.abspath(sys.argv[1])
    with open(os.path.join(folder, "scene.json")) as file:
        wanted = json.load(file)
    proving = sys.argv[2:] == ["prove"]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    answer = os.dup(1) if proving else -1
    redirect(os.path.join(folder, "files"))  # before the scene: what it prints counts too
    received = []
    scene, cases = build(folder, wanted)
    count_signals(received)
    stop = threading.Event()
    threading.Thread(target=rest, args=(stop,), name="resting", daemon=True).start()
    state = State(folder, scene, hits, received)
    scene.update(secret=wanted["secret"], _state=state.text, _differs=state.differs, _real={})
    scene["cases"] = [name for name, _, _ in cases]
    if proving:
        found = prove(scene, state, cases)
        os.write(answer, json.dumps(found).encode())
        for block in glob.glob("/dev/shm/" + scene.get("block_name", "none")):
            os.remove(block)
        os._exit(0)
    path = os.path.join(folder, "stop.py")
    with open(path) as file:
        code = compile(file.read(), path, "exec")
    exec(code, scene)
    os._exit(0)


if __name__ == "__main__":
    main()
