"""Watches raises without a debugger, and prints what was captured of a failure and what a program can notice."""

import gc
import json
import sys
import weakref

sys.path.insert(0, sys.argv[1])
from dap_ai.debuggees.python.hosts.post_mortem.variable_requests import VariableRequests
from dap_ai.debuggees.python.inspector.raises.raise_events import RaiseWatch
from dap_ai.debuggees.python.inspector import captures
from dap_ai.system.user_code import is_user_path

told = []


class Loud:
    """Each of its own functions tells that it ran."""

    def __init__(self):
        self.rows = [1, 2]

    def __getattribute__(self, name):
        told.append(name)
        return object.__getattribute__(self, name)

    def __repr__(self):
        told.append("repr")
        return ""

    def __len__(self):
        told.append("len")
        return 0

    def __eq__(self, other):
        told.append("eq")
        return False

    __hash__ = None

    def __del__(self):
        told.append("del")


def fail(data, n):
    try:
        data.append(n)
        raise ValueError(n)
    finally:
        data.clear()
        n = 0


def keep():
    loud = Loud()
    told.clear()
    gone = weakref.ref(loud, lambda _: told.append("weak"))
    try:
        raise KeyError
    except KeyError:
        pass
    del loud
    told.append("after")
    return gone


watch = RaiseWatch(is_user_path, None)
found = {"begun": watch.begin()}
try:
    fail([1, 2], 3)
except ValueError as error:
    found["frames"] = [[frame.f_code.co_name, moment.names] for frame, moment in captures.moments_of(error)][:1]
    looking, innermost = VariableRequests(), error.__traceback__.tb_next.tb_frame
    scope = looking.scopes(innermost, error)[0]["variablesReference"]
    found["held"] = {row["name"]: row["value"] for row in looking.variables(scope, 0, 0)}
keep()
found["noticed"] = told
found["of another"] = 0
for n in range(3000):  # each of them has the address of the last, as a rule
    try:
        fail([], n)
    except ValueError as error:
        found["of another"] += any(moment.names.get("n") not in (n, None) for _, moment in captures.moments_of(error))
for _ in range(300_000):
    try:
        int("x")
    except ValueError:
        pass
found["on"] = bool(sys.monitoring.get_events(watch._tool)) if found["begun"] else None
found["kept"] = len(captures._kept)
gc.collect()
watch.resume()
found["again"] = bool(sys.monitoring.get_events(watch._tool)) if found["begun"] else None
watch.end()
print(json.dumps(found))
