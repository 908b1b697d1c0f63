"""A process that is held after a failure speaks DAP: what it tells of its frames, and what it refuses."""

from __future__ import annotations

import builtins
import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from dap_ai.debuggees.python.hosts.post_mortem import holding
from dap_ai.debuggees.python.injection.debugpy_snapshots import DebugpySnapshots
from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.protocol.contracts.inspection import FrameQuery, Query
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pair of Unix sockets")


def average(xs):
    return sum(xs) / len(xs)


def report(groups):
    try:
        return [average(group) for group in groups]
    except ZeroDivisionError as error:
        raise ValueError("an empty group") from error


def caught(function, *arguments):
    try:
        function(*arguments)
    except (ValueError, ArithmeticError, AttributeError, RecursionError, LookupError) as error:
        return error
    raise AssertionError("it did not fail")


def group_of(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001  a name that Python 3.10 does not have
        return error
    raise AssertionError("it did not fail")


class Client:
    """Speaks DAP over a socket, one request at a time."""

    def __init__(self, link):
        self.file = link.makefile("rwb")
        self.seq = 0
        self.events = []

    def request(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.file.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.file.flush()
        while True:
            message = self.read()
            if message["type"] == "response":
                if not message["success"]:
                    raise RequestFailed(command, message["message"], message["body"]["error"]["variables"]["why"])
                return message["body"]
            self.events.append(message)

    def read(self):
        length = int(self.file.readline().split(b":")[1])
        self.file.readline()
        return json.loads(self.file.read(length))

    def event(self):
        message = self.events.pop(0) if self.events else self.read()
        return message["event"], message["body"]


@pytest.fixture
def held():
    """Serves an exception in a thread; gives its client, attached and stopped."""
    pairs = []

    def hold(server):
        pair = holding.Pair()
        theirs = socket.socket(fileno=os.dup(pair.theirs.fileno()))
        thread = threading.Thread(target=pair.serve, args=(server,))
        thread.start()
        client = Client(theirs)
        client.served = thread
        pairs.append((pair, thread, theirs, client))
        client.request("initialize")
        client.request("attach")
        assert client.event()[0] == "initialized"
        assert client.event()[0] == "process"
        client.request("configurationDone")
        name, body = client.event()
        assert name == "stopped"
        return client, body

    yield hold
    for pair, thread, theirs, client in pairs:
        client.file.close()
        theirs.close()
        thread.join(patient(10.0))
        pair.close()
        assert not thread.is_alive()


def names(client, thread_id=1, **page):
    return [frame["name"] for frame in client.request("stackTrace", threadId=thread_id, **page)["stackFrames"]]


def test_frames_of_the_exception_stand_before_those_of_its_cause(held):
    client, stopped = held(holding.failure(caught(report, [[1], []])))
    shown = names(client)
    assert stopped["reason"] == "exception" and stopped["text"] == "ValueError"
    assert shown[:2] == ["report", "caught"]
    assert shown[2] == "[Chained Exc: ZeroDivisionError] average"


def test_a_page_of_a_deep_stack_is_given(held):
    def down(n):
        return down(n + 1)

    client, _ = held(holding.failure(caught(down, 0)))
    body = client.request("stackTrace", threadId=1, startFrame=100, levels=3)
    assert len(body["stackFrames"]) == 3
    assert body["totalFrames"] > 500


def test_variables_are_told_without_running_code(held):
    class Loud:
        def __init__(self):
            self.inner = {"a": [1, 2]}

        def __repr__(self):
            raise AssertionError("it ran")

    def fail(loud):
        return loud.missing

    client, _ = held(holding.failure(caught(fail, Loud())))
    frame = client.request("stackTrace", threadId=1)["stackFrames"][0]
    locals_ = client.request("scopes", frameId=frame["id"])["scopes"][0]
    (row,) = client.request("variables", variablesReference=locals_["variablesReference"])["variables"]
    (inner,) = client.request("variables", variablesReference=row["variablesReference"])["variables"]
    assert (inner["name"], inner["value"]) == ("inner", "{'a': [1, 2]}")


def test_an_expression_is_evaluated_in_its_frame(held):
    client, _ = held(holding.failure(caught(average, [])))
    frame = client.request("stackTrace", threadId=1)["stackFrames"][0]
    assert client.request("evaluate", expression="xs + [7]", frameId=frame["id"])["result"] == "[7]"
    with pytest.raises(RequestFailed, match="NameError"):
        client.request("evaluate", expression="nope", frameId=frame["id"])


def test_the_inspector_reads_it_as_it_reads_a_debuggee_of_debugpy(held):
    client, _ = held(holding.failure(caught(average, [])))
    frame = client.request("stackTrace", threadId=1)["stackFrames"][0]

    async def request(command, arguments):
        return client.request(command, **arguments)

    visit = Inspector().inspect(request, Query(frames=[FrameQuery(frame_id=frame["id"])]))
    with pytest.raises(StopIteration) as done:
        visit.send(None)
    inspection = done.value.value
    assert inspection.frames[0].arguments[0].value.text == "[]"
    assert inspection.frames[0].unwound
    assert inspection.exceptions[0].message == "division by zero"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups")
def test_each_member_of_a_group_is_a_thread(held):
    def together():
        raise builtins.ExceptionGroup("both", [caught(average, []), caught(int, "x")])

    client, _ = held(holding.failure(group_of(together)))
    threads = client.request("threads")["threads"]
    assert [thread["name"] for thread in threads[1:]] == [
        "ZeroDivisionError 1 of the group",
        "ValueError 2 of the group",
    ]
    assert names(client, 2)[0] == "average"
    assert client.request("exceptionInfo", threadId=3)["exceptionId"] == "ValueError"


def children():
    tasks = Path("/proc/self/task").iterdir()
    return {pid for task in tasks for pid in (task / "children").read_text(encoding="ascii").split()}


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux")
async def test_of_a_copy_that_still_runs_when_its_client_leaves_nothing_is_left(held):
    before = children()
    client, _ = held(holding.failure(caught(average, [])))
    frame = client.request("stackTrace", threadId=1)["stackFrames"][0]

    async def request(command, arguments):
        if client.served.is_alive() and children() - before:
            client.request("disconnect")
            client.served.join(patient(10.0))
        if not client.served.is_alive():
            raise NotStopped(command)
        return client.request(command, **arguments)

    query = SnapshotQuery(frame_id=frame["id"], expression="sum(iter(int, 1))", deadline_s=60.0)
    with pytest.raises(NotStopped):
        await DebugpySnapshots().run(request, query)
    assert not client.served.is_alive()
    assert children() <= before


def test_it_is_not_moved_and_says_so(held):
    client, _ = held(holding.failure(caught(average, [])))
    with pytest.raises(RequestFailed, match="held"):
        client.request("next", threadId=1)
    (answer,) = client.request("setBreakpoints", source={"path": "x.py"}, breakpoints=[{"line": 1}])["breakpoints"]
    assert not answer["verified"]
    client.request("continue", threadId=1)
    assert client.event()[0] == "terminated"


def test_an_exception_that_raises_when_it_is_told_is_told(held):
    class MuteError(ValueError):
        def __str__(self):
            raise KeyError("no")

    def fail():
        raise MuteError

    client, stopped = held(holding.failure(caught(fail)))
    assert "its __str__ raised KeyError" in stopped["description"]
    assert client.request("exceptionInfo", threadId=1)["exceptionId"].endswith("MuteError")


def test_a_stream_that_is_no_dap_is_ended():
    pair = holding.Pair()
    theirs = socket.socket(fileno=os.dup(pair.theirs.fileno()))
    with theirs:
        theirs.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        pair.serve(holding.failure(caught(average, [])))
    pair.close()


def test_a_listener_stands_in_a_folder_of_the_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "dap-ai"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(holding.CannotHoldError, match="yours alone"):
        holding.own_folder()
    folder.chmod(0o700)
    assert holding.own_folder() == str(folder)
