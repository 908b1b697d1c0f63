"""A worker process that explains failed processes, each held at its failure, one after another.

A test run or a notebook starts the worker once, so that the agent is imported once. Jobs arrive over a Unix socket, one
JSON object per line; each job carries the file descriptor of the socket at which its process is held. The worker
replies with one line of JSON per job. If the job asks for streaming, one line per piece of the answer precedes that
line. The worker exits when the job socket is closed.
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
"""Modules to import before the first job, so that no job's time limit includes the import."""
_INT_BYTES = array.array("i").itemsize


class AnswerJob(msgspec.Struct):
    """A request to explain one held process.

    `limit_s`: maximum seconds per answer; None: the limit from the settings. `context`: return the context of the first
    question instead of an answer. `tells`: also send the answer piece by piece while the agent writes it.
    """

    number: int
    limit_s: float | None = None
    context: bool = False
    question: str = ""
    tells: bool = False


class OutputMessage(msgspec.Struct):
    """The body of one `askOutput` event (a piece of an answer), with the number of its job."""

    number: int
    said: dict[str, Any]


class JobResult(msgspec.Struct):
    """The result of one job, already masked, because the process that stores it has no masker.

    `error`: the reason if there is no answer. `message`: the text of the exception that stopped the program.
    """

    number: int
    ended: AskEnded | None = None
    error: Safe = ""
    message: Safe = ""


def main() -> None:
    """Process jobs until their socket closes.

    `argv[1]` is the socket's file descriptor; `argv[2]` is the settings as JSON.
    """
    with socket.socket(fileno=int(sys.argv[1])) as jobs:
        resolved = resolve(json.loads(sys.argv[2]))
        for module in _USED:
            importlib.import_module(module)
        jobs.sendall(b"%d\n" % os.getpid())
        for job, held in _jobs(jobs):
            done = thread_pool.run(_done(job, held, resolved, jobs))
            jobs.sendall(msgspec.json.encode(done) + b"\n")


def _jobs(jobs: socket.socket) -> Iterator[tuple[AnswerJob, int]]:
    """Yield each job with the file descriptor that came with it, until the socket closes."""
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
    """Answer one job. A failure goes into the result, so that the worker can take the next job."""
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
        with contextlib.suppress(Exception):  # a failure to disconnect does not affect the result
            await client.close()
    done.message = masker.mask(words)  # last: by now the masker has collected the secrets
    return done


def _teller(job: AnswerJob, jobs: socket.socket) -> Callable[[str, dict[str, Any]], None]:
    def tell(name: str, body: dict[str, Any]) -> None:
        if name == "askOutput":
            with contextlib.suppress(OSError):  # the reader is gone: the next read of the job socket ends this process
                jobs.sendall(msgspec.json.encode(OutputMessage(job.number, body)) + b"\n")

    return tell


async def _asked(client: DapClient, job: AnswerJob, thread_id: int) -> AskEnded:
    arguments = AskArguments(question=job.question, thread_id=thread_id, context_only=job.context)
    await client.request("ask", msgspec.to_builtins(arguments), timeout_s=_REQUEST_S)
    return msgspec.convert((await client.wait_event("askEnded"))[1], AskEnded)


async def _stop(client: DapClient) -> dict[str, Any]:
    """Attach to the held process and return the body of its `stopped` event."""
    await client.initialize("python")
    starting = client.send("attach", {"askEvents": True})
    await client.wait_event("initialized")
    await client.request("configurationDone", timeout_s=_REQUEST_S)
    await starting
    return (await client.wait_event("stopped"))[1]


def _words(error: Exception) -> str:
    return error.user_text if isinstance(error, RequestFailed) else str(error) or "the debugger does not answer"
