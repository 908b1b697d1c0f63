"""One crash understood by a coding agent: `dap-ai mcp` beside two other debuggers that speak MCP, in one run.

Each server gets the shortest run of calls by which its user learns, of a program that fails, the exception, the line,
the stack and the values in the failing line. The others are told the line in advance, which their user has from a
traceback. Counted are calls, bytes of the answers, seconds (medians), and what the tools cost in every conversation.
What the answers say is checked by strings: also the line that is to blame, and a fix that was tried.

    npm install --prefix PEERS @debugmcp/mcp-debugger gpt-tokenizer
    python -m venv PEERS/pdb && PEERS/pdb/bin/pip install mcp-pdb 'mcp[cli]<2'
    python benchmarks/mcp_servers.py --peers PEERS [--rounds 3]

Tokens are counted by gpt-tokenizer (o200k) where node is; else a quarter of the characters is told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = Path(__file__).resolve().parents[1]
PROGRAM, FAILING, TO_BLAME = ROOT / "examples" / "resampling.py", 31, 15
SID = "$sessionId"
LONG_S = 120.0
SAYS = {
    "exception": ("AssertionError",),
    "line": (f"resampling.py:{FAILING}", f"resampling.py({FAILING})", f'"line":{FAILING}'),
    "values": ("`low` is `6`", '"name":"low"', "(Pdb) (6, 6)"),
    "line to blame": (f"resampling.py:{TO_BLAME}",),
    "fix tried": ("Verified in a snapshot",),
}
"""Any of the texts says it."""

_NOWHERE = Path(os.devnull).open("w")  # noqa: SIM115  as long as the process

Calls = Sequence[tuple[str, Mapping[str, Any]]]


class Server(NamedTuple):
    """One of those that are compared."""

    name: str
    command: Sequence[str | Path]
    calls: Calls


class Round(NamedTuple):
    """What one run gave."""

    seconds: float
    start_s: float
    answers: Sequence[str]
    schema: str


def servers(peers: Path) -> list[Server]:
    file, where = str(PROGRAM), {"sessionId": SID}
    step_by_step: Calls = [
        ("create_debug_session", {"language": "python", "executablePath": sys.executable}),
        ("set_breakpoint", {**where, "file": file, "line": FAILING}),
        ("start_debugging", {**where, "scriptPath": file, "dapLaunchArgs": {"stopOnEntry": False}}),
        ("get_stack_trace", where),
        ("get_local_variables", where),
        ("get_source_context", {**where, "file": file, "line": FAILING}),
        ("close_debug_session", where),
    ]
    post_mortem: Calls = [
        ("start_debug", {"file_path": file}),
        ("send_pdb_command", {"command": "c"}),
        ("send_pdb_command", {"command": "w"}),
        ("send_pdb_command", {"command": "p low, high"}),
        ("send_pdb_command", {"command": "p estimates"}),
        ("end_debug", {}),
    ]
    return [
        Server("dap-ai mcp", [sys.executable, "-m", "dap_ai", "mcp"], [("ask", {"question": "why?", "program": file})]),
        Server("@debugmcp/mcp-debugger", [peers / "node_modules" / ".bin" / "mcp-debugger", "stdio"], step_by_step),
        Server("mcp-pdb", [peers / "pdb" / "bin" / "mcp-pdb"], post_mortem),
    ]


async def run(server: Server) -> Round:
    path = os.pathsep.join([str(Path(server.command[0]).parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    parts = [str(part) for part in server.command]
    env = {**os.environ, "PATH": path, "DAP_AI_SOCKETS": "off", "DAP_AI_PROVIDER": "offline"}
    parameters = StdioServerParameters(command=parts[0], args=parts[1:], env=env, cwd=PROGRAM.parent)
    began = time.monotonic()
    async with stdio_client(parameters, errlog=_NOWHERE) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        ready = time.monotonic()
        answers = await _answers(session, server.calls)
        seconds = time.monotonic() - ready
    told = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    schema = json.dumps(told, separators=(",", ":"), ensure_ascii=False) + (hello.instructions or "")
    return Round(seconds, ready - began, answers, schema)


async def _answers(session: ClientSession, calls: Calls) -> list[str]:
    answers: list[str] = []
    session_id = ""
    for name, arguments in calls:
        given = {key: session_id if value == SID else value for key, value in arguments.items()}
        result = await asyncio.wait_for(session.call_tool(name, given), LONG_S)
        answers.append("".join(part.text for part in result.content if part.type == "text"))
        session_id = session_id or _session_id(answers[-1])
    return answers


def _session_id(answer: str) -> str:
    try:
        return json.loads(answer).get("sessionId", "")
    except (ValueError, AttributeError):
        return ""


def tokens(text: str, peers: Path) -> str:
    node = shutil.which("node")
    if node is None or not (peers / "node_modules" / "gpt-tokenizer").is_dir():
        return f"{len(text) // 4} (a quarter of the characters)"
    script = "let t=require('fs').readFileSync(0,'utf8');console.log(require('gpt-tokenizer').encode(t).length)"
    return subprocess.run(
        [node, "-e", script], cwd=peers, input=text, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # one of them prints beside its messages
    peers = options.peers.absolute()
    there = [server for server in servers(peers) if Path(server.command[0]).exists()]
    for missing in (server for server in servers(peers) if server not in there):
        print(f"SKIPPED: {missing.name} is not at {missing.command[0]}")
    rounds: dict[str, list[Round]] = {server.name: [] for server in there}
    for _ in range(options.rounds):
        for server in there:
            rounds[server.name].append(asyncio.run(run(server)))
    print("| server | calls | bytes of answers | s | s to be ready | tokens of schema", *SAYS, sep=" | ", end=" |\n")
    print("|---|---:|---:|---:|---:|---:|" + "---|" * len(SAYS))
    for server in there:
        print(_row(server, rounds[server.name], peers))


def _row(server: Server, done: Sequence[Round], peers: Path) -> str:
    said = "\n".join(done[-1].answers)
    size = statistics.median(sum(len(answer.encode()) for answer in one.answers) for one in done)
    seconds, start = (statistics.median(getattr(one, name) for one in done) for name in ("seconds", "start_s"))
    facts = [
        server.name,
        len(server.calls),
        f"{size:.0f}",
        f"{seconds:.1f}",
        f"{start:.1f}",
        tokens(done[-1].schema, peers),
    ]
    says = ["yes" if any(text in said for text in texts) else "no" for texts in SAYS.values()]
    return "| " + " | ".join(map(str, [*facts, *says])) + " |"


if __name__ == "__main__":
    main()
