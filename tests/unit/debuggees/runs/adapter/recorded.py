"""A made-up run, a client that speaks to a session over it, and playbooks: what is sent, what comes back, in order."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed
from dap_ai.debuggees.runs.adapter.run_session import Loaded, RunSession
from dap_ai.debuggees.runs.adapter.views.run_console import Bounded
from dap_ai.debuggees.runs.adapter.views.run_document import index_of
from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, Pattern, RunAnalysis, StepCheck
from dap_ai.debuggees.runs.analysis.onset_model import Onset, OnsetFinding
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Ref, Run, TokenUsage
from tests.conformance import schema


class Known:
    """An analysis that is there."""

    is_due = True

    def __init__(self, analysis: RunAnalysis) -> None:
        self._analysis = analysis

    def begin(self) -> bool:
        return True

    def __call__(self) -> RunAnalysis:
        return self._analysis


REF = Ref()
EVENTS = [
    Event(0, "task", REF, text="make it pass"),
    Event(1, "query", REF, cycle=1),
    Event(2, "response", REF, cycle=1, text="I look.", usage=TokenUsage(100, None, 20, 0.5)),
    Event(3, "call", REF, cycle=1, step=1, tool="bash", text="ls", arguments={"command": "ls"}),
    Event(4, "result", REF, cycle=1, step=1, text="a.py", status="ok", exit_code=0),
    Event(5, "query", REF, cycle=2),
    Event(
        6,
        "response",
        REF,
        cycle=2,
        at_s=1.00000004768,
        text="I test.\nAll of it.",
        usage=TokenUsage(150, None, 30, 0.25),
    ),
    Event(7, "call", REF, cycle=2, step=2, tool="bash", text="pytest -q", arguments={"command": "pytest -q"}),
    Event(8, "result", REF, cycle=2, step=2, text="1 failed\x1b[2J", status="error", exit_code=1),
    Event(9, "call", REF, agent="helper", cycle=1, step=3, tool="edit_file", arguments={"path": "a.py"}),
    Event(10, "result", REF, agent="helper", cycle=1, step=3, tool="edit_file", text="edited", status="ok"),
    Event(11, "response", REF, cycle=3, text="Two at once."),
    Event(12, "call", REF, cycle=3, step=4, tool="read", text="", arguments={"path": "b.py"}),
    Event(13, "call", REF, cycle=3, step=5, tool="read", text="", arguments={"path": "c.py"}),
    Event(14, "result", REF, cycle=3, step=5, tool="read", text="c"),
    Event(15, "result", REF, cycle=3, step=4, tool="read", text="b"),
    Event(16, "end", REF, text="Submitted"),
]
LAST = len(EVENTS) - 1
RUN = Run(
    "/run", "made", agents=[Agent("main", model="m-1"), Agent("helper", "main")], task="make it pass", events=EVENTS,
    outcome=Outcome("failed", "reward 0"), cost_usd=0.75,
)  # fmt: skip
SEEN = RunAnalysis(
    effects=[
        Effect(1, "explore", reads=["."]),
        Effect(2, "verify", runners=["pytest"]),
        Effect(3, "change", writes=[FileWrite("src/a.py", "edit", old="x = 1\n", new="x = 2\n")]),
        Effect(4, "explore", reads=["b.py"]),
        Effect(5, "explore", reads=["c.py"]),
    ],
    checks=[StepCheck(2, "test", "pytest", ok=False, summary="1 failed")],
    patterns=[
        Pattern("failed-check-ignored", [2, 3], "The check at step 2 failed, and step 3 goes on as if it had not"),
        Pattern("limit", [], "A limit was hit"),
    ],
    finding=OnsetFinding(Onset(3, 3, 3, "mislocalized edit", 0.7, "Step 3 edited the wrong file")),
)


class Client:
    """Speaks to a session, and checks each message of it against DAP's schema."""

    def __init__(
        self,
        run: Run = RUN,
        seen: RunAnalysis | Analysed | None = None,
        *,
        checks: bool = True,
        bounded: Bounded = nullcontext,
    ) -> None:
        self.checks = checks
        self.written: dict[str, str] = {}
        analysed = Known(seen or analyse(run)) if seen is None or isinstance(seen, RunAnalysis) else seen
        self.session = RunSession(lambda _: Loaded(run, analysed), self._write, bounded)
        self.events: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        """The messages that the last request has brought."""
        self._seq = 0

    def _write(self, name: str, text: str) -> str:
        self.written[name] = text
        return f"/tmp/run/{name}"

    def open(self, **more: Any) -> Client:
        """Held for the first time."""
        self.body("initialize", adapterID="agents")
        self.body("launch", run="/run", **more)
        self.body("configurationDone")
        return self

    def send(self, command: str, **arguments: Any) -> dict[str, Any]:
        return self.send_raw(command, arguments)

    def send_raw(self, command: Any, arguments: Any) -> dict[str, Any]:

        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        self.told = self.session.receive(message)
        for number, each in enumerate(self.told if self.checks else (), 1):
            schema.check(each | {"seq": number})
        answer, *events = self.told
        self.events += events
        return answer

    def body(self, command: str, **arguments: Any) -> dict[str, Any]:
        answer = self.send(command, **arguments)
        assert answer["success"], answer
        return answer.get("body") or {}

    def refused(self, command: str, **arguments: Any) -> str:
        """The words with which a request is refused."""
        answer = self.send(command, **arguments)
        assert not answer["success"], answer
        return str(answer["body"]["error"]["format"])

    def stopped(self) -> dict[str, Any]:
        return [e["body"] for e in self.events if e["event"] == "stopped"][-1]

    def go(self, index: int) -> Client:
        """To an event."""
        self.body("goto", targetId=index, threadId=1)
        return self

    def on(self, command: str = "continue") -> int:
        """The index of the event at which the run is held then."""
        self.body(command, threadId=self.stopped()["threadId"])
        return self.held()

    def frames(self) -> list[dict[str, Any]]:
        return self.body("stackTrace", threadId=self.stopped()["threadId"])["stackFrames"]

    def held(self) -> int:
        """The index of the held event."""
        return index_of(self.frames()[0]["line"])

    def held_event(self) -> int:
        """The same of a run in several documents: by the held event itself."""
        return int(self.evaluated("index"))

    def scopes(self, frame: int = 0) -> dict[str, dict[str, Any]]:
        found = self.body("scopes", frameId=self.frames()[frame]["id"])["scopes"]
        return {scope["name"]: scope for scope in found}

    def values(self, scope: str, frame: int = 0) -> dict[str, str]:
        return {v["name"]: v["value"] for v in self.variables(self.scopes(frame)[scope])}

    def variables(self, of: dict[str, Any], **page: Any) -> list[dict[str, Any]]:
        return self.body("variables", variablesReference=of["variablesReference"], **page)["variables"]

    def said(self) -> str:
        """What the console has been told."""
        return "".join(e["body"]["output"] for e in self.events if e["event"] == "output")

    def evaluated(self, expression: str, context: str = "repl") -> str:
        return self.body("evaluate", expression=expression, context=context)["result"]

    def play(self, book: str) -> None:
        """`>> next {...}` is sent; the `<<` lines that follow are what comes back, in order: `<< ok {...}`,
        `<< refused WORDS`, `<< stopped {...}`. A line that ends in `...` says how one begins. Output events
        are left out.
        """
        expected: list[str] = []
        got: list[str] = []
        for line in filter(None, map(str.strip, book.splitlines())):
            if line.startswith(">>"):
                assert_alike(got, expected)
                command, _, arguments = line[2:].strip().partition(" ")
                self.send(command, **json.loads(arguments or "{}"))
                got, expected = [_written(each) for each in self.told if each.get("event") != "output"], []
            else:
                expected.append(line.removeprefix("<<").strip())
        assert_alike(got, expected)


def assert_alike(got: list[str], expected: list[str]) -> None:
    """The same lines; JSON is compared as JSON."""
    assert len(got) == len(expected), f"{got} is not {expected}"
    for one, other in zip(got, expected, strict=True):
        if other.endswith("..."):
            assert one.startswith(other[:-3]), f"{one} does not begin {other}"
        else:
            assert _parted(one) == _parted(other)


def _parted(line: str) -> tuple[str, Any]:
    name, brace, rest = line.partition("{")
    return name.strip(), json.loads(brace + rest) if brace else None


def _written(message: dict[str, Any]) -> str:
    body = json.dumps(message["body"]) if message.get("body") is not None else ""
    if message["type"] == "event":
        return f"{message['event']} {body}".strip()
    return f"ok {body}".strip() if message["success"] else f"refused {message['body']['error']['format']}"
