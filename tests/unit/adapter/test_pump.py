"""A session at work before an adapter in this process: what no playbook sees, because it is between tasks."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from dap_ai.adapter.io import backend_side
from dap_ai.adapter.io.backend_side import BackendSide
from dap_ai.adapter.io.error_boundary import MAX_ERRORS, SessionFailed
from dap_ai.adapter.io.family import ChildPlace, Families
from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.adapter.io.pump import Pump
from dap_ai.adapter.session import session_end
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.debuggee import Phase
from dap_ai.adapter.state.effects import FromBackend, Log
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.backends.generic import GenericBackend
from dap_ai.protocol.contracts.backend import AdapterStart
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from dap_ai.transport.byte_links import ByteLink, MemoryLink, memory_pair
from dap_ai.transport.client import ConnectionClosed, DapClient
from tests.patience import at_worst

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(5.0)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_end, "DISCONNECT_S", 0.05)


async def until(holds: Callable[[], bool]) -> None:
    async def wait() -> None:
        while not holds():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), WAIT_S)


class Adapter:
    """A debug adapter that answers everything but what is in `silent`; also the process that it is in."""

    last_words = ""
    key = ""

    def __init__(self) -> None:
        self.link, self._own = memory_pair()
        self.silent: set[str] = set()
        self.bodies: dict[str, dict[str, Any]] = {}
        self.heard: list[str] = []
        self.ended_sparing: list[str] = []
        self._frames = FrameReader()
        self._own.start(self._on_data, lambda: None, lambda _full: None)

    def _on_data(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            message = json.loads(body)
            self.heard.append(message["command"])
            if message["command"] not in self.silent:
                reply = {"type": "response", "request_seq": message["seq"], "command": message["command"]}
                self.say(reply | {"success": True, "body": self.bodies.get(message["command"], {})})

    def say(self, message: dict[str, Any]) -> None:
        self._own.write(encode_frame(json.dumps({"seq": 1, **message}).encode()))

    def event(self, name: str) -> None:
        self.say({"type": "event", "event": name})

    async def end(self, spares: str = "") -> None:
        self.ended_sparing.append(spares)
        self._own.close()


class Backend(GenericBackend):
    """`connect` in the arguments is where to go, as with debugpy."""

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        address = arguments.get("connect")
        return AdapterStart(arguments, (address["host"], address["port"]) if address else None)


class Recipe:
    """What a pump is made of. The launch argument `dapAiLevel` must be a level, and an agent keeps its arguments."""

    def __init__(self) -> None:
        self.backend = Backend([])
        self.adapter = Adapter()
        self.agents: list[dict[str, Any]] = []
        self.looking_at: list[list[str]] = []

    async def spawn(self, _log: Any) -> Adapter:
        return self.adapter

    def agent(self, own: Mapping[str, Any]) -> Recipe:
        self.agents.append(dict(own))
        return self

    def options(self, own: Mapping[str, Any]) -> SessionOptions:
        level = own.get("dapAiLevel", "compute")
        if level not in ("observe", "compute"):
            raise ValueError(f"no level: {level}")
        return SessionOptions(level=level)

    def journal(self, _session: Any) -> None:
        return None

    def log(self, _text: str) -> None:
        pass

    def mask(self, text: str) -> str:
        return text.replace("a secret", "<secret>")

    async def look_ahead(self, files: Sequence[str]) -> None:
        self.looking_at.append(list(files))
        try:
            await asyncio.Future()
        finally:
            self.looking_at.remove(list(files))

    async def close(self) -> None:
        pass


class Running:
    """A pump at work and its client; `async with` ends both."""

    def __init__(self, families: Families | None = None, place: ChildPlace | None = None) -> None:
        self.recipe = Recipe()
        self.adapter = self.recipe.adapter
        near, far = memory_pair()
        self.families = families or Families(self._no_child, self.recipe.log)
        self.pump = Pump(self.recipe, far, self.families, place, eager=True)  # type: ignore[arg-type]
        self.client = DapClient(near)

    async def _no_child(self, _link: ByteLink, _place: ChildPlace) -> None:
        raise AssertionError

    async def __aenter__(self) -> Running:  # noqa: PYI034  Python 3.10 has no typing.Self
        self.task = asyncio.get_running_loop().create_task(self.pump.run())
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.client.close()
        await asyncio.wait({self.task}, timeout=WAIT_S)
        assert self.task.done()
        if not isinstance(self.task.exception(), SessionFailed):
            self.task.result()

    async def request(self, command: str, arguments: dict[str, Any] | None = None) -> None:
        await self.client.request(command, arguments, WAIT_S)


async def test_a_parent_whose_adapter_serves_its_children_still_is_answered_though_the_adapter_is_silent():
    async with Running() as parent:
        await parent.request("launch", {})
        parent.adapter.event("terminated")
        await asyncio.wait_for(parent.client.wait_event("terminated"), WAIT_S)
        child = Pump(Recipe(), MemoryLink(), parent.families)  # type: ignore[arg-type]
        child.session_id, child.session.state.phase = "child", Phase.RUNNING
        parent.pump._family.add(child)
        parent.adapter.silent = {"disconnect"}
        await parent.request("disconnect")
        assert not parent.adapter.ended_sparing
        child.session.state.phase = Phase.ENDED
        parent.pump._family.remove(child)


@pytest.mark.parametrize(
    ("command", "ends", "spares"), [("launch", False, "launch"), ("launch", True, ""), ("attach", False, "attach")]
)
async def test_what_is_spared_is_spared_in_the_end_too(command: str, ends: bool, spares: str):
    async with Running() as it:
        await it.request(command, {})
        await it.request("disconnect", {"terminateDebuggee": ends})
    assert set(it.adapter.ended_sparing) == {spares}
    assert it.adapter.heard.count("disconnect") == 1


async def test_a_launch_whose_settings_do_not_fit_leaves_nothing_for_the_next():
    async with Running() as it:
        with pytest.raises(RequestFailed, match="no level"):
            await it.request("launch", {"dapAiLevel": "bad", "dapAiModel": "x"})
        await it.request("launch", {"dapAiLevel": "observe"})
        assert it.pump.own == {"dapAiLevel": "observe"}
        assert it.recipe.agents == [{"dapAiLevel": "observe"}]


async def test_a_child_that_comes_by_the_front_door_has_its_parents_settings():
    async with Listening() as adapter, Running() as parent, Running(parent.families) as child:
        place = ChildPlace(parent.pump._family, ("127.0.0.1", adapter.port), "parent", {"dapAiLevel": "observe"})
        parent.families.places[7] = place
        await child.client.initialize("x")
        attach = child.client.send("attach", {"connect": {"host": "127.0.0.1", "port": 7}, "dapAiModel": "y"})
        await asyncio.wait_for(adapter.spoken_to.wait(), WAIT_S)
        await until(lambda: child.pump.session.options.level == "observe" and len(child.recipe.agents) > 1)
        assert child.pump.session.options.parent_id == "parent"
        assert child.recipe.agents[-1] == {"dapAiLevel": "observe", "dapAiModel": "y"}
    await asyncio.gather(attach, return_exceptions=True)


async def test_where_nobody_asks_at_once_the_agent_is_made_at_the_first_stop():
    async with Running() as it:
        it.pump._preparing._eager = False
        await it.request("initialize", {})
        await it.request("launch", {})
        assert it.recipe.agents == []
        it.adapter.say({"type": "event", "event": "stopped", "body": {"reason": "pause", "threadId": 1}})
        await until(lambda: it.recipe.agents == [{}])


async def stopped(it: Running, reason: str) -> None:
    it.adapter.say({"type": "event", "event": "stopped", "body": {"reason": reason, "threadId": 1}})
    await until(lambda: it.pump.session.state.stopped)
    frames = [{"id": 1, "source": {"path": "/inner.py"}}, {"id": 2}, {"id": 3, "source": {"path": "/outer.py"}}]
    it.adapter.bodies["stackTrace"] = {"stackFrames": frames}
    await it.request("stackTrace", {"threadId": 1})


async def test_the_agent_gets_ready_for_the_failure_that_the_client_looks_at_until_the_program_goes_on():
    async with Running() as it:
        await it.request("launch", {})
        await stopped(it, "exception")
        await until(lambda: it.recipe.looking_at == [["/inner.py", "/outer.py"]])
        await it.request("continue", {"threadId": 1})
        await until(lambda: it.recipe.looking_at == [])


@pytest.mark.parametrize("reason", ["step", "breakpoint", "pause"])
async def test_a_stop_that_is_no_failure_has_the_agent_read_nothing(reason: str):
    async with Running() as it:
        await it.request("launch", {})
        await stopped(it, reason)
        assert it.pump.session.state.frames
        assert it.pump._agent._ahead is None


async def test_a_child_that_was_announced_without_an_address_is_of_its_parents_tree():
    async with Running() as parent, Running(parent.families) as child, Running(parent.families) as stranger:
        await parent.request("initialize", {"supportsStartDebuggingRequest": True})
        parent.client.reverse["startDebugging"] = _accept
        configuration = {"__pendingTargetId": "7", "program": "/kid.js"}
        parent.adapter.say(
            {"type": "request", "command": "startDebugging", "arguments": {"configuration": configuration}}
        )
        await until(lambda: "startDebugging" in parent.adapter.heard)
        for running, target in ((stranger, "8"), (child, "7")):
            await running.request("initialize", {})
            await running.request("launch", {"__pendingTargetId": target, "type": "pwa-node"})
        assert child.pump.session.options.parent_id == parent.pump.session_id
        assert stranger.pump.session.options.parent_id == ""
        child.adapter.say({"type": "event", "event": "stopped", "body": {"reason": "pause", "threadId": 1}})
        await until(lambda: bool(parent.pump.session._relatives.stopped))


async def _accept(_arguments: dict[str, Any]) -> dict[str, Any]:
    return {}


class Failing:
    """A session in which an error of ours is made: at one command, or at whatever happens.

    `told`: what the event loop was told of it.
    """

    def __init__(self, running: Running, monkeypatch: pytest.MonkeyPatch, command: str = "") -> None:
        self.told: list[str] = []
        self.tries = 0
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, what: self.told.append(what["message"].splitlines()[-1])
        )
        session = running.pump.session
        if command:
            monkeypatch.setitem(session._client_messages._requests, command, self._fail)
        else:
            monkeypatch.setattr(session, "receive", self._fail)

    def _fail(self, _what: Any) -> Any:
        self.tries += 1
        raise NameError("a secret")


async def failure_of(running: Running) -> str:
    """With what the session ends."""
    with pytest.raises(SessionFailed) as failed:
        await asyncio.wait_for(asyncio.shield(running.task), WAIT_S)
    return str(failed.value)


async def test_an_error_of_ours_ends_the_session_with_its_adapter_and_the_client_reads_why(
    monkeypatch: pytest.MonkeyPatch,
):
    async with Running() as it:
        await it.request("launch", {})
        failing = Failing(it, monkeypatch)
        closed = asyncio.Event()
        it.client.on_close(closed.set)
        waiting = it.client.send("disconnect")
        why = await failure_of(it)
        assert why == "dap_ai itself has failed (NameError at FromClient) and has ended this debug session."
        assert (await it.client.wait_event("output"))[1]["output"] == f"{why}\n"
        await asyncio.wait_for(closed.wait(), WAIT_S)
        assert isinstance(waiting.exception(), ConnectionClosed)
        assert it.adapter.ended_sparing == [""]
        assert failing.told == ["NameError: <secret>"]


async def test_an_error_of_ours_at_one_request_fails_that_request_and_nothing_else(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        await it.request("launch", {})
        failing = Failing(it, monkeypatch, command="askTool")
        with pytest.raises(RequestFailed, match=r"itself has failed at 'askTool' .NameError."):
            await it.request("askTool", {"name": "stack"})
        await it.request("threads")
        assert failing.told == ["NameError: <secret>"]


async def test_a_session_in_which_one_request_after_the_other_fails_ends(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        await it.request("launch", {})
        Failing(it, monkeypatch, command="askTool")
        for _ in range(MAX_ERRORS):
            with pytest.raises(RequestFailed):
                await it.request("askTool", {"name": "stack"})
        with pytest.raises(ConnectionClosed):
            await it.request("askTool", {"name": "stack"})
        await failure_of(it)


async def test_an_error_while_an_error_is_answered_ends_the_session(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        await it.request("launch", {})
        failing = Failing(it, monkeypatch, command="askTool")
        monkeypatch.setattr(it.pump.session, "answer_failure", lambda _error: [Log("a step back")])
        monkeypatch.setattr(it.recipe, "log", None)
        waiting = it.client.send("askTool", {"name": "stack"})
        assert "TypeError at FromClient" in await failure_of(it)
        assert isinstance(waiting.exception(), ConnectionClosed)
        assert [each.split(":")[0] for each in failing.told] == ["NameError", "TypeError"]


async def test_a_request_that_was_answered_is_not_failed_too_when_what_follows_fails(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        await it.request("launch", {})
        it.adapter.say({"type": "event", "event": "stopped", "body": {"reason": "pause", "threadId": 1}})
        await it.client.wait_event("stopped")
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _what: None)
        monkeypatch.setattr(it.pump._agent, "start", None)
        await it.request("ask", {"question": "why?"})
        assert "TypeError at FromClient" in await failure_of(it)
        assert not it.pump._timers._running


async def test_what_was_attached_to_outlives_an_error_of_ours(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        await it.request("attach", {})
        Failing(it, monkeypatch)
        it.adapter.event("continued")
        await failure_of(it)
        assert it.adapter.ended_sparing == ["attach"]


async def test_after_an_error_of_ours_the_session_hears_of_nothing_more(monkeypatch: pytest.MonkeyPatch):
    async with Running() as it:
        failing = Failing(it, monkeypatch)
        it.pump.receive_all([FromBackend(b"{}"), FromBackend(b"[]")])
        await failure_of(it)
        assert failing.tries == 1


async def test_a_task_of_a_session_that_fails_ends_it():
    async with Running() as it:
        it.recipe.spawn = it.recipe.log  # type: ignore[assignment]  which gives None, where an adapter is awaited
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _what: None)
        assert "TypeError at a task" in await failure_of(it)


async def test_a_client_in_this_process_learns_at_its_end_that_the_session_has_failed(monkeypatch: pytest.MonkeyPatch):
    def fail(*_ignored: Any) -> None:
        raise NameError

    monkeypatch.setattr(Session, "receive", fail)
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _what: None)
    client = await Proxy(Recipe()).open_in_process()  # type: ignore[arg-type]
    with pytest.raises(ConnectionClosed):
        await client.request("initialize", {}, WAIT_S)
    with pytest.raises(SessionFailed):
        await client.close()


async def test_what_comes_once_the_session_has_ended_changes_nothing():
    async with Running() as it:
        await it.request("initialize", {})
        await it.request("disconnect")
    before = it.pump.session.state.epoch
    it.pump.receive(FromBackend(b'{"seq": 9, "type": "event", "event": "terminated"}'))
    assert it.pump.session.state.epoch == before


class Listening:
    """A listener to which somebody connects; it says nothing."""

    async def __aenter__(self) -> Listening:  # noqa: PYI034  as above
        self.spoken_to, self.closed = asyncio.Event(), asyncio.Event()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            self.spoken_to.set()
        self.closed.set()
        writer.close()

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()


def side_of(recipe: Recipe) -> BackendSide:
    side = BackendSide(recipe, lambda _: None, lambda _: None, lambda _: None, spares=str, begin=lambda: None)  # type: ignore[arg-type]
    side.begin()
    return side


async def test_a_second_switch_closes_the_connection_of_the_first():
    async with Listening() as first, Listening() as second:
        side = side_of(Recipe())
        await side.start(None)
        await side.switch(("127.0.0.1", first.port))
        await side.switch(("127.0.0.1", second.port))
        await asyncio.wait_for(first.closed.wait(), WAIT_S)
        assert not second.closed.is_set()
        await side.close()
        await asyncio.wait_for(second.closed.wait(), WAIT_S)


async def test_a_switch_that_is_cancelled_while_the_first_adapter_starts_leaves_no_connection():
    async with Listening() as listening:
        side = side_of(Recipe())
        switching = asyncio.get_running_loop().create_task(side.switch(("127.0.0.1", listening.port)))
        await until(lambda: bool(side._ready._waiters))  # type: ignore[attr-defined]
        switching.cancel()
        await asyncio.wait_for(listening.closed.wait(), WAIT_S)


async def test_a_backend_that_was_resting_from_a_storm_at_the_end_keeps_nothing_in_memory(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(backend_side, "_REST_S", WAIT_S)
    side = side_of(Recipe())
    await side.start(None)
    assert side._link is not None
    side._rest(side._link)
    await side.close()
    kept = weakref.ref(side)
    del side
    await asyncio.sleep(0)
    gc.collect()
    assert kept() is None


async def test_a_link_that_is_new_while_the_client_does_not_read_is_not_read_either():
    async with Listening() as listening:
        side = side_of(Recipe())
        side.pause(paused=True)
        await side.start(("127.0.0.1", listening.port))
        assert side._link is not None
        assert not side._link._reader.is_reading()  # type: ignore[attr-defined]
        await side.close()
