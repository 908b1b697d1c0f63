"""Programs in which something catches what fails, under a real debugpy: it is told, asked about, and stopped at."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import DapClient
from tests.integration.live import WAIT_S, live

pytestmark = pytest.mark.anyio


class Subject(NamedTuple):
    """A program, and how it is launched beside `program`."""

    text: str
    filter: str = "userUnhandled"
    module: str = ""
    fails: bool = False


SUBJECTS = {
    "pytest": Subject(
        """\
def price(name):
    return {"tea": 3}.get(name)


def test_price():
    assert price("mate") + 1 == 4  # here
""",
        module="pytest",
        fails=True,
    ),
    "web": Subject(
        """\
import http.server
import threading
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.headers.get("X-Body")
        self.wfile.write(body.encode())  # here


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.handle_request).start()
try:
    urllib.request.urlopen("http://127.0.0.1:%d/" % server.server_port).read()
except Exception:
    pass
server.server_close()
""",
    ),
    "asyncio": Subject(
        """\
import asyncio
import gc


async def feed(queue):
    item = queue.pop()
    return item["price"] * 2  # here


async def main():
    task = asyncio.ensure_future(feed([{}]))
    await asyncio.sleep(0.05)
    del task
    gc.collect()
    await asyncio.sleep(0.05)


asyncio.run(main())
""",
    ),
    "own handler": Subject(
        """\
import traceback


def total(rows):
    return sum(row["price"] for row in rows)  # here


try:
    total([{}])
except KeyError:
    traceback.print_exc()
""",
        filter="raised",
    ),
}


def made(folder: Path, subject: Subject) -> tuple[Path, int, dict[str, Any]]:
    """Its file, the line at which it fails, and what launches it."""
    file = folder / ("test_it.py" if subject.module else "it.py")
    file.write_text(subject.text)
    line = next(n for n, text in enumerate(subject.text.splitlines(), 1) if "# here" in text)
    what: dict[str, Any] = {"program": str(file)}
    if subject.module:
        what = {"module": subject.module, "args": ["-q", "-p", "no:cacheprovider", str(file)]}
    return file, line, what | {"python": sys.executable, "cwd": str(folder), "console": "internalConsole"}


@pytest.mark.parametrize("name", SUBJECTS)
async def test_what_is_caught_is_told_and_asked_about_also_after_the_session(name, tmp_path):
    subject = SUBJECTS[name]
    file, line, launch = made(tmp_path, subject)
    async with live(SessionOptions(ask_events=True), SessionAgent(Settings())) as session:
        await session.start("launch", launch)
        caught = await session.event("askCaught")
        assert (caught["file"], caught["line"]) == (str(file), line)
        assert (caught["filter"], caught["ended"]) == (subject.filter, subject.fails)
        await session.request("ask", {})
        answer = await session.event("askEnded")
    assert "Nothing stopped here." in answer["answer"]
    assert f"{file.name}:{line}" in answer["answer"]
    assert not any("dapAiCaught" in str(m.get("body")) for m in session.to_client)
    if not subject.fails:
        return
    async with live(SessionOptions(), SessionAgent(Settings())) as later:
        await later.request("ask", {"earlier": {"caught": caught["traceback"]}})
        answer = await later.event("askEnded")
    assert "Nothing stopped here." in answer["answer"]
    assert f"{file.name}:{line}" in answer["answer"]


@pytest.mark.parametrize("name", SUBJECTS)
async def test_with_its_filter_the_next_run_stops_there_and_nothing_is_told(name, tmp_path):
    subject = SUBJECTS[name]
    file, line, launch = made(tmp_path, subject)
    async with live(SessionOptions(ask_events=True, stop_at=(subject.filter,))) as session:
        await session.start("launch", launch)
        stop = await session.stopped()
        stack = await session.request("stackTrace", {"threadId": stop["threadId"]})
        lines = {f["line"] for f in stack["stackFrames"] if f["source"].get("path") == str(file)}
        assert stop["reason"] == "exception"
        assert line in lines
    assert not [m for m in session.to_client if m.get("event") == "askCaught"]


POOL = """\
import multiprocessing


def rate(row):
    return 1 / row["hours"]  # here


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map_async(rate, [{"hours": 0}], error_callback=print).wait())
"""


async def test_what_a_worker_of_a_pool_catches_is_told_in_its_own_session(tmp_path):
    file, line, launch = made(tmp_path, Subject(POOL))
    async with live(SessionOptions(ask_events=True)) as session:
        await session.start("launch", launch | {"subProcess": True})
        configuration = await session.event("debugpyAttach")
        worker = DapClient(await open_tcp(configuration["connect"]["host"], configuration["connect"]["port"], WAIT_S))
        await worker.initialize("debugpy")
        attached = worker.send("attach", {name: value for name, value in configuration.items() if name != "event"})
        await asyncio.wait_for(worker.wait_event("initialized"), WAIT_S)
        await worker.request("configurationDone", None, WAIT_S)
        _, caught = await asyncio.wait_for(worker.wait_event("askCaught"), WAIT_S)
        assert (caught["type"], caught["file"], caught["line"]) == ("ZeroDivisionError", str(file), line)
        assert (await asyncio.wait_for(attached, WAIT_S)).success
        # VS Code looks at the threads of a worker that it is just leaving: whoever answers, it is no news to the user.
        worker.send("disconnect", {})
        crossing = await asyncio.wait_for(worker.send("threads", None), WAIT_S)
        assert b'"showUser":true' not in crossing.content
        await worker.close()


SPIES = """\
import builtins
import os
import sys
import traceback

calls = []


def spy(name, real):
    def replaced(*args, **named):
        if sys._getframe(1).f_code.co_filename == "<frozen dap_ai>":
            calls.append(name)
        return real(*args, **named)

    return replaced


class Meta(type):
    def __getattribute__(cls, name):
        if sys._getframe(1).f_code.co_filename == "<frozen dap_ai>":
            calls.append(name)
        return super().__getattribute__(name)


class Odd(Exception, metaclass=Meta):
    def __getattribute__(self, name):
        if sys._getframe(1).f_code.co_filename == "<frozen dap_ai>":
            calls.append(name)
        return super().__getattribute__(name)


for name in ("any", "getattr", "len", "zip"):
    setattr(builtins, name, spy(name, getattr(builtins, name)))
os.getcwd = spy("getcwd", os.getcwd)

try:
    raise Odd("told")  # here
except Odd:
    traceback.print_exc()
print("calls", calls)
"""


async def test_to_tell_of_it_calls_nothing_of_the_program(tmp_path):
    file, line, launch = made(tmp_path, Subject(SPIES))
    async with live(SessionOptions(ask_events=True)) as session:
        await session.start("launch", launch)
        caught = await session.event("askCaught")
        await session.event("terminated")
    assert (caught["type"], caught["message"], caught["file"], caught["line"]) == ("Odd", "told", str(file), line)
    assert session.output().strip() == "calls []"
