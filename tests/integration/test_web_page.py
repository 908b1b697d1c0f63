"""A web page in a real browser: whatever it posts to the ports of a session, nothing of it runs.

The page knows every port, and the child's process. A body that is sent without asking (`no-cors`, a form) may hold any
bytes; the browser writes an HTTP header in front of them, in which the page has a say only by its own address. It hangs
up at the first byte that is no HTTP, but reads none before it has sent all: so what it sends has no end for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.protocol.wire.framing import encode_frame
from tests.dialects.editors import VS_CODE
from tests.dialects.surroundings import over_stdio
from tests.dialects.test_children import Child, connected
from tests.patience import at_worst
from tests.processes import end_tree

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium on PATH"),
]
BROWSER_S = at_worst(60.0)
ANSWER_MS = 5000
"""So long the page waits for what does not close its connection: until what was posted has run."""
PADDING = 400_000
"""Messages of nothing after each attack: some seconds of work for a proxy that reads them."""
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
]
FIRST_BYTES = 500
PAGE = r"""
<!doctype html><meta name="referrer" content="unsafe-url"><iframe name="hidden"></iframe>
<script>
const attacks = ATTACKS;
const padding = "Content-Length: 1\r\n\r\nx".repeat(PADDING);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const post = (port, body) => fetch(`http://127.0.0.1:${port}/`,
  { method: "POST", mode: "no-cors", referrerPolicy: "unsafe-url", body: body + padding, signal: AbortSignal.timeout(ANSWER_MS) });
const submit = (port, body) => {
  const form = document.createElement("form");
  Object.assign(form, { action: `http://127.0.0.1:${port}/`, method: "POST", enctype: "text/plain", target: "hidden" });
  const field = document.createElement("textarea");
  field.name = body;
  form.append(field);
  document.body.append(form);
  form.submit();
};
const socket = (port) => new Promise((resolve) => {
  const opened = new WebSocket(`ws://127.0.0.1:${port}/`);
  opened.onerror = opened.onclose = resolve;
  setTimeout(resolve, ANSWER_MS);
});
(async () => {
  const said = [];
  for (const { port, body } of attacks) said.push(post(port, body), socket(port));
  for (const { port, body } of attacks) { submit(port, body); await wait(50); }
  await Promise.allSettled(said);
  await fetch("/done", { method: "POST" });
})();
</script>
"""
Attack = dict[str, Any]


class Site:
    """The page's own server. The address of the page holds the length of the first message of each attack."""

    def __init__(self) -> None:
        self.attacks: list[Attack] = []
        self.done = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_port

    def url(self, length: int) -> str:
        return f"http://127.0.0.1:{self.port}/content-length:{length}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self, *arguments: Any) -> BaseHTTPRequestHandler:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = PAGE.replace("ATTACKS", json.dumps(site.attacks))
                page = page.replace("ANSWER_MS", str(ANSWER_MS)).replace("PADDING", str(PADDING))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def do_POST(self) -> None:
                site.done.set()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_words: Any) -> None:
                pass

        return Handler(*arguments)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


def request(seq: int, command: str, arguments: dict[str, Any]) -> bytes:
    return json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()


def attack(port: int, first: bytes, *others: bytes) -> Attack:
    """`first` gets the length that the page's address tells; each of the others brings its own header."""
    return {"port": port, "body": (first.ljust(FIRST_BYTES) + b"".join(map(encode_frame, others))).decode()}


INITIALIZE = request(1, "initialize", {"adapterID": "x", "clientID": "x"})
DONE = request(3, "configurationDone", {})


def code_that_writes(marker: Path) -> str:
    return f"open({str(marker)!r}, 'w').close()"


def interpreter_that_writes(marker: Path) -> Path:
    """A program that is none of Python's."""
    script = marker.with_suffix(".sh")
    script.write_text(f"#!/bin/sh\n: >{marker}\n")
    script.chmod(0o755)
    return script


def launches(port: int, marker: Path) -> list[Attack]:
    """Code to debug; and an interpreter for it, which the proxy itself would ask what it is."""
    launch = {"code": code_that_writes(marker), "console": "internalConsole"}
    other = launch | {"code": "1", "python": str(interpreter_that_writes(marker))}
    return [attack(port, INITIALIZE, request(2, "launch", launch), DONE), attack(port, request(1, "launch", other))]


def attaches(port: int, marker: Path, child: int) -> list[Attack]:
    """To the child, and an evaluation in it."""
    said = {"expression": code_that_writes(marker), "context": "repl"}
    attach = request(2, "attach", {"subProcessId": child})
    return [attack(port, INITIALIZE, attach, request(3, "evaluate", said), DONE)]


def browse(site: Site, profile: Path, attacks: list[Attack]) -> None:
    """The page has said all that it has to say."""
    site.attacks = attacks
    url = site.url(FIRST_BYTES)
    browser = subprocess.Popen(
        ["chromium", *FLAGS, f"--user-data-dir={profile}", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert site.done.wait(BROWSER_S), "the page did not come to its end"
    finally:
        end_tree(browser)


def ports_of(pid: int) -> list[int]:
    """All at which the process and its descendants listen."""
    found: set[int] = set()
    for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            found |= {each.laddr.port for each in process.net_connections("inet") if each.status == "LISTEN"}
    return sorted(found)


@pytest.mark.parametrize("access", [(), ("--no-token",)], ids=["token", "no token"])
async def test_a_page_runs_nothing_by_the_front_door(
    access: tuple[str, ...], start_dap_ai: Callable[..., Any], site: Site, tmp_path: Path
):
    marker = tmp_path / "ran"
    process = start_dap_ai("serve", "--listen", "127.0.0.1:0", *access, cwd=tmp_path)
    process.stderr.readline()
    (port,) = ports_of(process.pid)
    await asyncio.to_thread(browse, site, tmp_path / "profile", launches(port, marker))
    assert not marker.exists()
    assert not psutil.Process(process.pid).children(), "something was started"


async def test_a_page_runs_nothing_by_any_port_of_a_session_with_a_child(
    site: Site, tmp_path: Path, debuggee: Callable[..., Any]
):
    program, marker = debuggee("forks"), tmp_path / "ran"
    async with over_stdio(VS_CODE) as editor:
        announced = Child(editor)
        await editor.launch(program.path, (program.lines["child"],), subProcess=True)
        child = await announced.configuration()
        ports = ports_of(psutil.Process().pid)
        ports.remove(site.port)
        assert child["connect"]["port"] in ports, "the listener for the child's session is among them"
        attacks = [each for port in ports for each in attaches(port, marker, child["subProcessId"])]
        attacks += [each for port in ports for each in launches(port, marker)]
        await asyncio.to_thread(browse, site, tmp_path / "profile", attacks)
        assert not marker.exists()
        async with connected(VS_CODE, child) as second:  # it was harmed by nothing
            await second.start(child, program.path, (program.lines["child"],), ())
            assert (await second.stop()).names["number"] == "21"
        await editor.disconnect()
