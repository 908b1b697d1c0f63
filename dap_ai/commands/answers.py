"""Answers about one held process after the other, for a test run or a notebook: what it needs is imported once.

Jobs come over a Unix socket, a JSON object a line; with each comes the socket at which the process is held. What came
of it goes back as a line; before it, if that is wanted, a line for each piece of the answer. Where jobs end, this ends.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import importlib
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.wiring import proxy_of
from dap_ai.protocol.wire.ask_messages import AskArguments, AskEnded
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.safe import Safe
from dap_ai.settings.configuration import Resolved
from dap_ai.system import thread_pool
from dap_ai.transport.client import ConnectionClosed, DapClient

_REQUEST_S = 20.0
_MAX_JOB_BYTES = 65_536
_USED = ("dap_ai.agent.session_agent", "dap_ai.agent.providers.offline", "dap_ai.debuggees.python.answer.answer")
"""Imported before the first job, and not within its time."""
_INT_BYTES = array.array("i").itemsize


class AnswerJob(msgspec.Struct):
    """`limit_s`: the answer is made within this time, by the clock; None: as the settings have it.

    `context`: the first context is wanted instead. `tells`: the answer is told as it is made, too.
    """

    number: int
    limit_s: float | None = None
    context: bool = False
    question: str = ""
    tells: bool = False


class OutputMessage(msgspec.Struct):
    """The body of an `askOutput` of the job of this number."""

    number: int
    said: dict[str, Any]


class JobResult(msgspec.Struct):
    """What came of the job of this number, masked: who has sent the job keeps it, and has no masker.

    `error`: why there is no answer. `message`: what the exception says.
    """

    number: int
    ended: AskEnded | None = None
    error: Safe = ""
    message: Safe = ""


def main() -> None:
    """`argv[1]` is the number of the socket that jobs come over, `argv[2]` has settings, as JSON."""
    with socket.socket(fileno=int(sys.argv[1])) as jobs:
        resolved = resolve(json.loads(sys.argv[2]))
        for module in _USED:
            importlib.import_module(module)
        jobs.sendall(b"%d\n" % os.getpid())
        for job, held in _jobs(jobs):
            done = thread_pool.run(_done(job, held, resolved, jobs))
            jobs.sendall(msgspec.json.encode(done) + b"\n")


def _jobs(jobs: socket.socket) -> Iterator[tuple[AnswerJob, int]]:
    """Each with the number of the socket that has come with it."""
    while True:
        data, ancillary, _, _ = jobs.recvmsg(_MAX_JOB_BYTES, socket.CMSG_SPACE(_INT_BYTES))
        if not data:
            return
        fds = array.array("i")
        for level, kind, sent in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds.frombytes(sent[: len(sent) - len(sent) % _INT_BYTES])
        while not data.endswith(b"\n"):
            data += jobs.recv(_MAX_JOB_BYTES)
        yield msgspec.json.decode(data, type=AnswerJob), fds[0]


async def _done(job: AnswerJob, held: int, resolved: Resolved, jobs: socket.socket) -> JobResult:
    """Whatever goes wrong, the next job gets its answer."""
    if job.limit_s is not None:
        settings = msgspec.structs.replace(resolved.settings, ask_timeout_s=job.limit_s)
        resolved = msgspec.structs.replace(resolved, settings=settings)
    masker, done = Masker(resolved.settings.mask), JobResult(job.number)
    client = await proxy_of(resolved, masker=masker, connect=f"fd:{held}").open_in_process()
    if job.tells:
        client.on_event(_teller(job, jobs))
    words = ""
    try:
        stop = await _stop(client)
        words = str(stop.get("description", ""))
        done.ended = await _asked(client, job, stop["threadId"])
    except (RequestFailed, ConnectionClosed, OSError, asyncio.TimeoutError) as error:
        done.error = masker.mask(_words(error))
    finally:
        with contextlib.suppress(Exception):  # its own end is told to nobody
            await client.close()
    done.message = masker.mask(words)  # at the end: by now it is known what is secret
    return done


def _teller(job: AnswerJob, jobs: socket.socket) -> Callable[[str, dict[str, Any]], None]:
    def tell(name: str, body: dict[str, Any]) -> None:
        if name == "askOutput":
            with contextlib.suppress(OSError):  # nobody waits any more: the next read of jobs ends this process
                jobs.sendall(msgspec.json.encode(OutputMessage(job.number, body)) + b"\n")

    return tell


async def _asked(client: DapClient, job: AnswerJob, thread_id: int) -> AskEnded:
    arguments = AskArguments(question=job.question, thread_id=thread_id, context_only=job.context)
    await client.request("ask", msgspec.to_builtins(arguments), timeout_s=_REQUEST_S)
    return msgspec.convert((await client.wait_event("askEnded"))[1], AskEnded)


async def _stop(client: DapClient) -> dict[str, Any]:
    """The body of the event `stopped`."""
    await client.initialize("python")
    starting = client.send("attach", {"askEvents": True})
    await client.wait_event("initialized")
    await client.request("configurationDone", timeout_s=_REQUEST_S)
    await starting
    return (await client.wait_event("stopped"))[1]


def _words(error: Exception) -> str:
    return error.user_text if isinstance(error, RequestFailed) else str(error) or "the debugger does not answer"
