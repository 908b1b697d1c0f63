"""No planted secret leaves: by a request to a model, a file, an event, a log line or an error text."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.chat.endpoint import MODEL, Endpoint, Reply, Scripted, Seen
from tests.integration.live import WAIT_S, Live, live
from tests.integration.test_models import Talk
from tests.safety.secret_program import Planted
from tests.unit.agent.secrets_planted import ORDINARY

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux"),
]
_OURS = ("ask", "progress")
_NAMES = (
    "user password client_secret settings client dsn headers credentials passwords tokens secret_bytes buffer "
    "auth_token private_key path text command note copied passphrase renew error value_0 value_7"
)
_DERIVED = (
    "''.join(reversed({}))",
    "[ord(c) ^ 1 for c in {}]",
    "{}.encode().hex()",
    "{}[::-1]",
    "{}[1:]",
    "' '.join({})",
    "__import__('base64').b64encode({}.encode())",
    "[ord(c) for c in {}]",
)
_SECRET_EXPRESSIONS = (
    "password", "copied", "settings.api_key", "client.access_token", "passwords['eve']", "tokens[0]", "auth_token",
    "settings.nested['db']['db_password']", "headers['X-Api-Key']", "SIGNING_KEY", "Client.shared_secret",
    "credentials[0][1]", "credentials[1].password", "passphrase", "value_3", "dsn", "command", "text",
    "__import__('os').environ['SHOP_TOKEN']", "__import__('sys').argv[2]", "renew.__defaults__[0]",
    "login.__defaults__[0]", "str(error)", "secret_bytes.decode()", "buffer.decode()",
)  # fmt: skip


_BY_C = (
    "(lambda c, f: (setattr(f, 'restype', c.c_char_p), f(b'SHOP_TOKEN'))[1])(__import__('ctypes'), "
    "__import__('ctypes').CDLL(None).getenv)"
)
"""The environment past `os.environ`."""


def _nosy(planted: Planted, every: int = 1) -> list[Scripted]:
    """A model that reads all there is, computes from it, and says what it is told.

    `every`: of the forms that it computes, so manieth of each expression, another one each time.
    """
    evaluated = [*_NAMES.split(), *_SECRET_EXPRESSIONS, "__import__('os').environ", "globals()", "locals()"]
    derived = [
        form.format(text)
        for row, text in enumerate(_SECRET_EXPRESSIONS)
        for column, form in enumerate(_DERIVED)
        if (row + column) % every == 0
    ]
    derived += [f"{_BY_C}[::-1]", f"{_BY_C}.hex()", f"{_BY_C}[1:]"]
    code = "raise ValueError(password[::-1] + SIGNING_KEY[::-1] + ''.join(reversed(client_secret)))"
    calls: list[tuple[str, Any]] = [
        ("stack", {}),
        ("frame", {}),
        ("threads", {}),
        ("output", {"tail": 8000}),
        ("environment", {"names": ["SHOP_API_KEY", "DATABASE_URL", "HOME"]}),
        ("variables", {"count": 500}),
        ("search", {"text": "password"}),
        ("search", {"text": "value_"}),
        ("info", {"symbol": "login"}),
        ("slice", {"expression": "password"}),
        ("trace", {"expression": "count_of(passwords)"}),
        ("trace", {"expression": "renew(2)"}),
        *(("source", {"file": "shop.py", "line": line, "window": 120}) for line in (1, 60)),
        *(("variables", {"expression": name}) for name in _NAMES.split()),
        *(("evaluate", {"expression": text}) for text in evaluated),
        ("try_fix", {"edits": [{"file": "shop.py", "first": 27, "last": 27, "text": f"    {code}"}], "check": code}),
        ("evaluate", {"expression": f"login('eve', password={planted.secrets['argument']!r})"}),
        ("step", {"reason": "password"}),
    ]
    told = "\n".join(f"`{name}` is `{secret}`." for name, secret in planted.secrets.items())
    cited = [{"expression": text, "value": "?"} for text in ("password", "password[::-1]", "auth_token[5:90]")]
    report = {"evidence": cited, "suspects": [{"file": "shop.py", "line": 27, "reason": planted.secrets["bearer"]}]}
    return [
        Reply("I look.", calls=calls),
        Reply("And on.", calls=[("evaluate", {"expression": text}) for text in derived]),
        Reply(f"It is **this**:\n\n{told}\n", calls=[("report", report)], piece_chars=7),
        Reply("That is all."),
    ]


def _complaint(planted: Planted) -> Scripted:
    """An endpoint that refuses, and repeats what it was sent and more."""

    def refuse(seen: Seen) -> Reply:
        del seen
        return Reply(status=400, error=f"bad request: {planted.secrets['dsn_password']} {planted.secrets['bearer']}")

    return refuse


class _Scene:
    """The program at its exception, and a model's endpoint."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.planted = Planted(seed)
        self.program = folder / "shop.py"
        self.transcripts, self.recording = folder / "transcripts", folder / "record.jsonl"
        self.planted.write(self.program)
        self.settings: dict[str, Any] = {
            "transcripts": str(self.transcripts),
            "record": str(self.recording),
            "budget_tokens": 8000,
            "max_tool_calls": 0,
            "max_tokens": 0,
            "ask_timeout_s": 250.0,
        }

    async def launch(self, session: Live) -> int:
        arguments = {"args": self.planted.arguments, "env": self.planted.environment}
        await session.launch(self.program, **arguments)
        return (await session.stopped())["threadId"]

    def written(self) -> str:
        """All files that the questions have made."""
        files = [self.recording, *self.transcripts.rglob("*.jsonl")]
        return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def _told(session: Live) -> str:
    """What the client was told of the questions, and what the console shows of them."""
    events = [m for m in session.to_client if m.get("event", "").startswith(_OURS)]
    events += [m for m in session.to_client if m.get("event") == "output" and m["body"]["category"] == "console"]
    responses = [m for m in session.to_client if m.get("command", "").startswith("ask")]
    return json.dumps([*events, *responses], ensure_ascii=False)


@pytest.mark.parametrize("snapshots", [True, False], ids=["in copies", "by the allow-list"])
async def test_no_secret_leaves_by_a_model_that_reads_and_computes_all_it_can(snapshots: bool, tmp_path: Path):
    scene = _Scene(tmp_path, 11)
    planted = scene.planted
    assert len(planted.secrets) >= 60
    with Endpoint([*_nosy(planted), _complaint(planted)]) as at:
        agent = SessionAgent(Settings(base_url=at.url, model=MODEL, level="compute", **scene.settings), {})
        options = SessionOptions(ask_timeout_s=250.0, snapshots=snapshots)
        async with live(options, agent=agent, supportsProgressReporting=True) as session:
            talk = Talk(session, at, await scene.launch(session))
            frame = await session.top_frame(talk.thread_id)
            typed = f"dict(api_key={planted.secrets['console']!r}) and 'token={planted.secrets['console_result']}'"
            await session.request("evaluate", {"expression": typed, "context": "repl", "frameId": frame})
            ended = await _patient(talk, f"why is the password={planted.secrets['question']!r} refused?")
            failed = await _patient(talk, "and now?")
    assert ended["reason"] == "completed" and failed["reason"] == "failed", (ended, failed)
    steps = [m["body"]["tool"]["name"] for m in session.to_client if m.get("body", {}).get("tool")]
    assert steps.count("evaluate") > 200, "the model was let compute"
    assert {row["placeholder"] for row in ended["masked"]}
    requests = json.dumps([seen.body for seen in at.requests], ensure_ascii=False)
    assert planted.left(requests) == []
    assert planted.left(scene.written()) == []
    assert planted.left(_told(session)) == []
    assert planted.left("\n".join(session.logged)) == []


async def _patient(talk: Talk, question: str) -> dict[str, Any]:
    """The end of a question that takes longer than most."""
    ask_id = (await talk.begin(question))["askId"]
    for _ in range(8):
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):  # each waits for WAIT_S
            return await talk.end(ask_id)
    raise AssertionError("no answer")


@pytest.mark.parametrize("as_json", [False, True])
def test_no_secret_leaves_by_the_command_line(as_json: bool, tmp_path: Path):
    scene = _Scene(tmp_path, 12)
    planted, export = scene.planted, tmp_path / "talk.md"
    question = f"why is password={planted.secrets['question']} refused?"
    planted.without("console", *([] if as_json else ["argv", "output"]))
    arguments = planted.arguments if as_json else []  # with them, the program itself prints secrets
    flags = ["--then", "quit", "--export", str(export), "--show-masked", *(["--json"] if as_json else ["-v"])]
    with Endpoint(_nosy(planted, every=20)) as at:  # what is computed: see the test above
        environment = {
            **os.environ,
            **planted.environment,
            "DAP_AI_CONFIG": os.devnull,
            "OPENAI_BASE_URL": at.url,
            "DAP_AI_MODEL": MODEL,
            "DAP_AI_TRANSCRIPTS": str(scene.transcripts),
            "DAP_AI_RECORD": str(scene.recording),
            "DAP_AI_MAX_TOOL_CALLS": "0",
            "DAP_AI_MAX_TOKENS": "0",
        }
        command = [sys.executable, "-m", "dap_ai", "ask", "-q", question, *flags, str(scene.program), *arguments]
        ran = subprocess.run(command, capture_output=True, env=environment, timeout=280, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    shown = [line for line in ran.stdout.splitlines() if not line.startswith('{"event":"output"')]
    assert planted.left("\n".join([*shown, ran.stderr])) == []
    assert export.exists() and planted.left(export.read_text(encoding="utf-8")) == []
    assert planted.left(scene.written()) == []
    assert "<secret:" in "\n".join(shown) + ran.stderr


async def test_the_offline_answer_and_the_context_hold_no_secret(tmp_path: Path):
    scene = _Scene(tmp_path, 13)
    agent = SessionAgent(Settings(provider="offline", budget_tokens=8000, ask_timeout_s=250.0), {})
    async with live(SessionOptions(ask_timeout_s=250.0), agent=agent) as session:
        thread_id = await scene.launch(session)
        with Endpoint() as unused:
            talk = Talk(session, unused, thread_id)
            for arguments in ({"contextOnly": True}, {"question": "why is passwords['eve'] refused?"}):
                ask_id = (await talk.begin(**arguments))["askId"]
                assert (await talk.end(ask_id))["reason"] == "completed"
    assert scene.planted.left(_told(session)) == []


async def test_ordinary_strings_come_through_as_they_are(tmp_path: Path):
    rows = [row for row in ORDINARY if "\\" not in row and len(row) < 60 and "'" not in row and '"' not in row][:80]
    program = tmp_path / "plain.py"
    program.write_text(f"rows = {rows!r}\nprint(1 / 0)\n", encoding="utf-8")
    calls = [("evaluate", {"expression": f"rows[{number}]"}) for number in range(len(rows))]
    with Endpoint([Reply("I look.", calls=calls), Reply("Done.")]) as at:
        agent = SessionAgent(Settings(base_url=at.url, model=MODEL, max_tool_calls=0), {})
        async with live(SessionOptions(ask_timeout_s=WAIT_S * 3), agent=agent) as session:
            await session.launch(program)
            talk = Talk(session, at, (await session.stopped())["threadId"])
            await _patient(talk, "why?")
    results = [m["content"] for m in at.requests[-1].messages if m["role"] == "tool"]
    assert [row for row, result in zip(rows, results, strict=True) if row not in result] == []
    assert "<secret:" not in json.dumps(at.requests[-1].messages[1:]), "the first tells what a placeholder is"
