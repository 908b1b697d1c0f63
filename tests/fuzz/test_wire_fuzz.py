"""Recorded messages with bytes changed, from either side: no crash, no hang, every request that came is answered once."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from tests import playing_adapter, recording
from tests.fuzz.budget import TIMEOUT_S, dice, seeds
from tests.fuzz.mutation import can_be_followed, mutate
from tests.patience import at_worst
from tests.playbook import Rules
from tests.processes import end_tree

SESSION = recording.load(Path(__file__).with_name("session.json"))
END_S = at_worst(15.0)
"""Until a proxy has ended by itself: two seconds for an adapter that does not answer, and a slow machine."""
Start = Callable[..., "subprocess.Popen[bytes]"]


def read(body: bytes) -> dict[str, Any]:
    """Strings that are no UTF-8 pass as they came; the JSON around them must be whole."""
    return json.loads(body.decode(errors="replace"))


class Wire:
    """A session between two streams; it counts what the client asked and what it was answered, by seq."""

    def __init__(self) -> None:
        self.session = Session(Rules(greeting=("evaluate", {"expression": "x"})))
        self.asked: Counter[int] = Counter()
        self.answered: Counter[int] = Counter()
        self.closed = False

    def tell(self, event: fx.Event) -> None:
        """Nothing more, once the session is closed."""
        if self.closed:
            return
        for effect in self.session.receive(event):
            match effect:
                case fx.ToClient(body):
                    message = read(body)
                    if message["type"] == "response":
                        self.answered[message["request_seq"]] += 1
                case fx.ToBackend(body):
                    read(body)
                case fx.Close():
                    self.closed = True
                case fx.Prepare(_, arguments):
                    self.tell(fx.Prepared(arguments))
                case _:
                    pass

    def client(self, body: bytes) -> None:
        try:
            message = Envelope.parse(body)
        except RemoteProtocolError:
            pass
        else:
            self.asked[message.seq] += message.kind == "request" and not self.closed
        self.tell(fx.FromClient(body))

    def end(self) -> None:
        self.tell(fx.BackendClosed("the end"))
        assert +self.asked == +self.answered
        self.tell(fx.ClientClosed())
        assert self.closed


def through(side: str, seed: int) -> Wire:
    """The recorded session with one side's stream mutated and cut into chunks of any size."""
    rnd = dice(seed)
    wire = Wire()
    stream = mutate(b"".join(encode_frame(body) for who, body in SESSION if who == side), rnd)
    others = [body for who, body in SESSION if who != side]
    frames = FrameReader()
    while stream:
        size = rnd.choice([1, 30, 300, 3000])
        chunk, stream = stream[:size], stream[size:]
        try:
            for body in frames.feed(chunk):
                wire.client(body) if side == "client" else wire.tell(fx.FromBackend(body))
        except RemoteProtocolError:
            break
        if others and rnd.random() < 0.6:
            body = others.pop(0)
            wire.tell(fx.FromBackend(body)) if side == "client" else wire.client(body)
    return wire


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_a_clients_mutated_stream_leaves_no_request_without_its_answer(seed: int):
    through("client", seed).end()


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_an_adapters_mutated_stream_leaves_no_request_without_its_answer(seed: int):
    through("adapter", seed).end()


def see_it_end(process: subprocess.Popen[bytes], note: str) -> None:
    """It ends by itself, and takes everything with it; it has said nothing that only its makers understand."""
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        pytest.fail(f"it runs on: {note}")
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    assert "Traceback" not in said, f"{note}: {said}"


def serve(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dap_ai", "serve", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def say(process: subprocess.Popen[bytes], data: bytes) -> None:
    """It may have ended already."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(data)
        process.stdin.flush()


def hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def test_a_client_that_is_nothing_at_all_ends_it():
    command = [sys.executable, "-m", "dap_ai", "serve"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=END_S
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.timeout(TIMEOUT_S)
def test_a_client_that_sends_mutated_bytes_ends_its_own_session_only(debuggee: Callable[..., psutil.Process]):
    for seed in seeds(6):
        program = json.dumps(str(debuggee("crash").path)).encode()
        said = [body.replace(b'"/home/user/crash.py"', program) for who, body in SESSION if who == "client"]
        stream = mutate(b"".join(map(encode_frame, said)), dice(seed))
        process = serve()
        tree: list[psutil.Process] = []
        try:
            say(process, stream)
            if can_be_followed(stream):
                tree = psutil.Process(process.pid).children(recursive=True)
                hang_up(process)
            see_it_end(process, f"seed {seed}")
            assert not psutil.wait_procs(tree, END_S)[1], f"seed {seed}: left running"
        finally:
            end_tree(process)


@pytest.mark.timeout(TIMEOUT_S)
def test_an_adapter_that_sends_mutated_bytes_does_not_keep_its_client_waiting(tmp_path: Path):
    for seed in seeds(6):
        stream = mutate(b"".join(encode_frame(body) for who, body in SESSION if who == "adapter"), dice(seed))
        script = recording.save([("client", SESSION[0][1]), ("raw", stream)], tmp_path / "script.json")
        words = [sys.executable, playing_adapter.__file__, str(script), str(tmp_path / "heard.json")]
        process = serve("--backend", " ".join(f"'{word}'" for word in words))
        try:
            for who, body in SESSION:
                if who == "client":
                    say(process, encode_frame(body))
            hang_up(process)
            see_it_end(process, f"seed {seed}")
        finally:
            end_tree(process)
