"""Whatever a value, a model, a file's name or an error holds: nothing in what a user reads acts or hides."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.adapter.asks.asks import Asks, AskState
from dap_ai.adapter.state.effects import AgentOutput
from dap_ai.agent.guard.masked import NOT_AS_TRIED, MaskedSink, masked_answer, not_answered
from dap_ai.agent.loop.transcript_file import Exchange, Transcript, export, markdown
from dap_ai.agent.masking.mask import Masker
from dap_ai.cli import main
from dap_ai.commands.display.answer_file import AnswerFile
from dap_ai.commands.display.json_display import JsonLines
from dap_ai.commands.display.rendering import TerminalDisplay
from dap_ai.commands.display.settings_table import table
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import (
    AskApproval,
    AskArguments,
    AskEnded,
    AskOutput,
    Evidence,
    Fix,
    Suspect,
    ToolStep,
    Usage,
)
from dap_ai.protocol.wire.errors import START_FAILED, RequestFailed
from dap_ai.protocol.wire.visible import hidden_in
from dap_ai.settings.configuration import Settings
from tests.unit.protocol.test_visible import ATTACKS, MIXED

FEW = settings(max_examples=25, deadline=None)
hostile = st.text(MIXED, min_size=1, max_size=40) | st.sampled_from(sorted(ATTACKS))
ASK = AcceptedAsk("a", "c", AskArguments(), None, False)
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")
"""Rich's own, and the carriage returns of its spinner."""


class Heard:
    """A sink that keeps all that it is told."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def emit(self, category: str, text: str, tool: ToolStep | None = None) -> None:
        self.texts += [text, *((tool.name, tool.call, tool.result) if tool else ())]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Speaker:
    """An agent that says one text in each way, as the real one does."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def answer(self, ask: Any, debugger: Any, sink: Any) -> Answer:
        out = MaskedSink(sink, Masker())
        out.emit("status", self.text)
        out.emit("tool", self.text, ToolStep(self.text, self.text, self.text))
        out.emit("answer", f"{self.text}\nmore {self.text}")
        out.finish()
        return Answer()

    async def close(self) -> None:
        pass


def clean(*texts: str) -> None:
    for text in texts:
        assert hidden_in(text) == []


def whole(text: str) -> str:
    """Without half characters, as what comes from JSON is."""
    return text.encode("utf-8", "replace").decode()


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in strings(each)]
    return [value] if isinstance(value, str) else []


@given(hostile)
@FEW
def test_in_what_the_agent_says(text: str):
    heard = Heard()
    asyncio.run(Speaker(text).answer(None, None, heard))
    clean(*heard.texts)
    answer = Answer(
        text=text,
        error=text,
        evidence=[Evidence(text, text, "f", 1, 1, 1, 1, True)],
        suspects=[Suspect("f", 1, 1.0, text)],
        fixes=[Fix("f", "", True, text, text)],
    )
    done = masked_answer(Masker(), answer)
    clean(done.text, done.error, done.evidence[0].expression, done.evidence[0].value, done.suspects[0].reason)
    clean(done.fixes[0].check, done.fixes[0].result)
    for error in (RequestFailed("ask", text, text), ValueError(text), KeyError(text)):
        clean(str(not_answered(Masker(), error)))


@given(hostile)
@FEW
def test_in_events_console_lines_and_refusals(text: str):
    asks = Asks()
    asks.started(AskState(ASK, "console", events=True, progress=True))
    messages = asks.output(AgentOutput("a", "status", "looking"))[0]
    messages += asks.ended("a", "failed", Answer(error=text), text)
    clean(*(s for _, body in messages for s in strings(json.loads(envelope.encode(body)))))
    clean(*strings(json.loads(envelope.failure(1, 1, "launch", START_FAILED, {"why": text}))))


@given(hostile)
@FEW
def test_in_an_answer_file_an_export_and_a_transcript(tmp_path_factory: pytest.TempPathFactory, text: str):
    folder = tmp_path_factory.getbasetemp()
    asyncio.run(AnswerFile(Speaker(text), str(folder / "answer.md")).answer(ASK, None, Heard()))  # type: ignore[arg-type]
    clean((folder / "answer.md").read_text("utf-8"))
    clean(markdown([Exchange(text, [text, ToolStep(text, text, text)], Usage(provider=text, model=text))]))
    kept, text = folder / "kept.jsonl", whole(text)
    kept.unlink(missing_ok=True)
    Transcript(kept, lambda message: message).keep({"role": "user", "content": f"\nQuestion: {text}"})
    Transcript(kept, lambda message: message).keep({"role": "assistant", "content": text})
    lines = kept.read_text("utf-8")
    clean(lines, export(lines.split("\n")))
    assert json.loads(lines.split("\n")[1])["content"] == text


def told(display: Any, text: str) -> None:
    """All of a run but its answer, with this text wherever one can stand."""
    display.command(text)
    display.stopped({"reason": text, "text": text, "description": text, "threadId": 1})
    display.waiting(text)
    display.status(text)
    display.error(text)
    display.exited(1, text)
    display.context(text)


def answered(display: Any, text: str) -> None:
    display.ask_output(AskOutput("a", "tool", text, ToolStep(text, text, f"{text}\n{text}")))
    display.ask_output(AskOutput("a", "status", text))
    display.ask_output(AskOutput("a", "answer", f"# {text}\n\n- {text} `{text}`\n\n```\n{text}\n```\n"))
    display.ask_ended(AskEnded("a", "c", "failed", False, text, Usage(provider=text), [], [], [], text))
    display.approval(AskApproval("a", "p", text, text, text, 1.0))
    display.close()


@given(hostile | st.sampled_from(["&#8238;safe&#x2066;", "&#x1b;[31m &#155;2J", "&ZeroWidthSpace;&shy;&lrm;"]))
@FEW
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_in_a_terminal(kind: type[io.StringIO], text: str):
    out, err = kind(), kind()
    display = TerminalDisplay(Settings(), out, err, verbose=True)
    told(display, text)
    answered(display, text)
    clean(_COLOURS.sub("", out.getvalue()), _COLOURS.sub("", err.getvalue()))


@given(hostile)
@FEW
def test_in_lines_of_json_decoded_or_not(text: str):
    stream = io.BytesIO()
    display = JsonLines(stream)
    told(display, text)
    clean(*(s for line in stream.getvalue().splitlines() for s in strings(json.loads(line))))
    answered(display, whole(text))
    display.program_output("stdout", whole(text).encode())
    clean(stream.getvalue().decode())


@given(hostile)
@FEW
def test_in_tables_and_errors_of_commands(text: str):
    clean(*table([(text, text), ("a", text)], None), *table([(text, text)], 60))
    result = CliRunner().invoke(main, ["ask", f"--level={text}", "x.py"])
    assert result.exit_code == 2
    clean(result.output)
    with contextlib.suppress(ValueError):  # no variable holds a NUL
        clean(CliRunner().invoke(main, ["config"], env={"DAP_AI_LEVEL": text}).output)


def test_a_fix_that_writes_what_does_not_show_is_shown_with_escapes_and_is_not_verified():
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-ok = 1\n+ok\u200b = 1  # \u202e\n"
    answer = masked_answer(Masker(), Answer(fixes=[Fix("f", diff, True, "", "passes")]))
    (fix,) = answer.fixes
    assert (fix.verified, fix.result) == (False, f"passes; {NOT_AS_TRIED}")
    assert fix.diff.endswith("+ok\\u200b = 1  # \\u202e\n")


def test_a_fix_of_a_file_that_has_such_characters_stays_exact_so_that_it_can_be_applied():
    diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n x = '\u202e'\r\n-y = '\u200b' + 1\r\n+y = '\u200b' + 2\r\n"
    answer = masked_answer(Masker(), Answer(fixes=[Fix("f", diff, True, "", "passes")]))
    assert (answer.fixes[0].diff, answer.fixes[0].verified) == (diff, True)
