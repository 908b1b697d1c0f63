"""Events and effects as lines of a wire log, and back; what is hidden in them; what replaying them finds."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from dap_ai.adapter.recording.journal import (
    MAX_CONTENT_BYTES,
    JournalError,
    RecordedRules,
    event_of,
    options_of,
    options_row,
    row_of,
    rules_of,
    rules_row,
)
from dap_ai.adapter.recording.recorder import Recorder
from dap_ai.adapter.recording.replaying import Numbered, Replay
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.masking.mask import Masker
from dap_ai.backends.discovery import discover
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import MomentResult, MomentValue, Rewind, Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, SetVariable
from dap_ai.protocol.wire.ask_messages import Evidence, ToolStep
from dap_ai.protocol.wire.errors import NotStopped

THREADS = b'{"seq":1,"type":"request","command":"threads"}'
INITIALIZE = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'
EVENTS: list[fx.Event] = [
    fx.FromClient(THREADS),
    fx.FromBackend(b'{"seq": 2, "type": "event", "event": "stopped", "body": {"reason": "step", "x": 1.5}}'),
    fx.AgentRequest("ask-1", 3, 4, "stackTrace", {"threadId": 1, "format": {"a": [None, True]}}),
    fx.JobBegun("ask-1", "ab12", 4, "evaluate", {"expression": "kill()"}),
    fx.JobEnded("ab12", alive=True),
    fx.ApprovalRequest("ask-1", 3, 4, "step", "next", "to see"),
    fx.ActionRequest("ask-1", 3, 4, 1, ContinueTo("a.py", 3)),
    fx.ActionRequest("ask-1", 3, 4, 1, SetVariable("x.y", "2"), 7),
    fx.ModelRequest("ask-1", 3, [{"role": "user", "content": "why"}], [{"type": "function", "function": {}}]),
    fx.AgentOutput("ask-1", "tool", "read x", ToolStep("read", "read x", "1", 0.5, snapshot=True)),
    fx.AgentEnded("ask-1", Answer("text", evidence=[Evidence("x", "1", "a.py", 1, 2, 3, 4, confirmed=True)]), "no"),
    fx.LookedBack("ask-1", Recalled(SnapshotQuery(1, rewind=Rewind(to_stop=True)), "it", Rewound(3), within=True)),
    fx.LookedBack(
        "ask-1", result=SnapshotResult("ok", rewound=Rewound(3, seen=[MomentResult([MomentValue("x", "1")])]))
    ),
    fx.LookedBack("ask-1", why="it reads input"),
    fx.Prepared(b'{"program": "a.py"}', connected=True, options=SessionOptions(ask_timeout_s=3.0)),
    fx.Prepared(error="no such interpreter"),
    fx.Prepared(b'{"connect": {"port": 4712}}', adapter=("127.0.0.1", 4711)),
    fx.TimerFired("slots.quiet"),
    fx.FromGuest("guest:1", THREADS),
    fx.GuestClosed("guest:1"),
    fx.ListenerReady("127.0.0.1", 4711, 4712),
    fx.RelativesChanged((fx.Relative("ab12", "child.py"), fx.Relative("cd34", "other.py"))),
    fx.FromRelative("ab12", THREADS),
    fx.RelativeClosed("ab12"),
    fx.TokenGiven(),
    fx.ClientClosed(),
    fx.BackendClosed("it crashed", started=False),
]


def through_json(row: Any) -> Any:
    return json.loads(json.dumps(row))


def same(one: Any, other: Any) -> bool:
    """Messages are compared as JSON: their spaces are nobody's business."""
    if isinstance(one, bytes) and one[:1] == b"{":
        return json.loads(one) == json.loads(other)
    if type(one).__name__ in {type(event).__name__ for event in EVENTS}:
        return type(one) is type(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_its_line(event: fx.Event):
    assert same(event_of(through_json(row_of(event))), event)


def test_every_event_is_among_those_tried_here():
    assert {type(event) for event in EVENTS} == set(get_args(fx.Event))


@pytest.mark.parametrize(
    "body",
    [
        b"{not json",
        b"\xff\xfe",
        b'{"seq":1,"type":"mystery"}',
        b"",
        b'{"type":"event","event":"e","body":' + b"[" * 2000,
    ],
    ids=["junk", "not UTF-8", "no message", "empty", "too deep"],
)
def test_what_is_no_message_comes_back_to_the_letter(body: bytes):
    assert event_of(through_json(row_of(fx.FromBackend(body)))) == fx.FromBackend(body)


def test_a_huge_body_is_left_out_and_its_envelope_stays():
    body = b'{"seq":5,"type":"event","event":"output","body":{"output":"%s"}}' % (b"x" * MAX_CONTENT_BYTES)
    row = row_of(fx.FromBackend(body))
    assert row["message"] == {"seq": 5, "type": "event", "event": "output"}
    assert row["omitted_bytes"] > MAX_CONTENT_BYTES
    assert len(json.dumps(row)) < 200


def test_the_reason_why_an_answer_reads_nothing_is_a_line_too():
    row = through_json(row_of(fx.ToAgent(3, error=NotStopped("threads"))))
    assert row["data"]["token"] == 3
    assert row["data"]["error"]["message"] == "notStopped"


def test_an_event_that_this_version_does_not_know_is_named():
    with pytest.raises(JournalError, match="knows no event 'FromTheFuture'"):
        event_of({"event": "FromTheFuture"})
    with pytest.raises(JournalError, match="not the event JobEnded as this dap_ai knows it"):
        event_of({"event": "JobEnded", "data": {"token": 3}})


def test_rules_and_options_come_back():
    backend = discover("debugpy")
    options = SessionOptions(token="t", snapshots=False)
    row = through_json(rules_row(backend) | options_row(options))
    assert rules_row(rules_of(row)) == rules_row(backend)  # type: ignore[arg-type]
    assert options_of(row) == options
    for wrong in ({}, {"rules": 3, "options": []}, {"rules": {"denied": 3}, "options": {"level": "x"}}):
        for read in (rules_of, options_of):
            with pytest.raises(JournalError):
                read(wrong)


def test_a_rule_that_an_older_log_does_not_have_says_nothing():
    rules = RecordedRules({"denied": {"modules": "it hangs"}})
    assert rules.denied == {"modules": "it hangs"}
    assert rules.greeting is None
    assert not rules.wedged_while_running


# -- secrets, and replaying -----------------------------------------------------------------------------------------


class Log:
    """A session whose lines are kept as they would be written."""

    def __init__(self, options: SessionOptions | None = None) -> None:
        self.rules = discover("debugpy")
        self.session = Session(self.rules, options)
        self.recorder = Recorder(Masker())
        self.header = through_json(self.recorder.header(rules_row(self.rules) | options_row(self.session.options)))
        self.rows: list[Any] = []

    def hear(self, *events: fx.Event) -> None:
        for event in events:
            effects = self.session.receive(event)
            self.rows += through_json(self.recorder.rows([event, *effects]))

    def client(self, seq: int, command: str, arguments: Any = None) -> None:
        message = {"seq": seq, "type": "request", "command": command, "arguments": arguments or {}}
        self.hear(fx.FromClient(json.dumps(message).encode()))

    def backend(self, request_seq: int, command: str, body: Any) -> None:
        message = {"seq": 0, "type": "response", "request_seq": request_seq, "success": True, "command": command}
        self.hear(fx.FromBackend(json.dumps(message | {"body": body}).encode()))

    def stop(self) -> None:
        """Up to a stop; the backend's next seq is 3."""
        self.hear(fx.FromClient(INITIALIZE))
        self.backend(1, "initialize", {})
        self.client(2, "launch", {"program": "a.py"})
        self.hear(fx.Prepared(b'{"program": "a.py"}'))
        self.backend(2, "launch", {})
        stopped = {"seq": 0, "type": "event", "event": "stopped", "body": {"reason": "step", "threadId": 1}}
        self.hear(fx.FromBackend(json.dumps(stopped).encode()))

    @property
    def text(self) -> str:
        return json.dumps([self.header, *self.rows])

    def replay(self) -> Replay:
        replay = Replay(self.header)
        for number, row in enumerate(self.rows, 2):
            replay.feed(Numbered(number, row))
        replay.feed(Numbered(len(self.rows) + 2, {"ended": True}))
        return replay


def test_what_was_recorded_is_the_same_again():
    log = Log()
    log.stop()
    replay = log.replay()
    assert replay.difference is None
    assert replay.events == 6
    assert replay.effects == len(log.rows) - 6


def test_what_a_lent_model_was_told_and_said_is_the_same_again():
    log = Log()
    log.stop()
    log.client(3, "ask", {"providers": ["editor"], "question": "why"})
    told: list[dict[str, Any]] = [{"role": "user", "content": "password = 'hunter2-x', value 3"}]
    told += [{"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "evaluate", "arguments": "{}"}}]}]
    log.hear(fx.ModelRequest("dap-ai-ask-1", 7, told, [{"type": "function", "function": {"name": "evaluate"}}]))
    log.client(4, "askModelDelta", {"requestId": "dap-ai-model-1", "text": "It is"})
    log.client(5, "askModelEnd", {"requestId": "dap-ai-model-1", "calls": [{"name": "stack", "arguments": {"x": 1}}]})
    assert any(row.get("effect") == "Settled" for row in log.rows)
    assert "hunter2-x" not in log.text
    assert log.replay().difference is None


def test_a_secret_is_in_no_line_and_the_replay_is_the_same():
    log = Log()
    log.stop()
    log.client(3, "variables", {"variablesReference": 3})
    log.backend(3, "variables", {"variables": [{"name": "password", "value": "'hunter2-x'", "variablesReference": 0}]})
    log.client(4, "evaluate", {"expression": "user.password", "context": "hover"})
    log.backend(4, "evaluate", {"result": "'0penSesame'", "variablesReference": 0})
    log.client(5, "evaluate", {"expression": "user.password", "context": "repl"})
    log.backend(5, "evaluate", {"result": "'0penSesame'", "variablesReference": 0})
    log.hear(fx.FromBackend(b'skipped: api_key = "k9X2mQ7vL4pR8sT1wZ6y" and so on'))
    for secret in ("hunter2-x", "0penSesame", "k9X2mQ7vL4pR8sT1wZ6y"):
        assert secret not in log.text
    assert log.replay().difference is None


def test_a_secret_that_is_found_late_makes_no_difference():
    log = Log()
    log.stop()
    log.client(3, "evaluate", {"expression": "shown", "context": "repl"})
    log.backend(3, "evaluate", {"result": "'tr0ub4dor'", "variablesReference": 0})
    log.client(4, "variables", {"variablesReference": 3})
    log.backend(4, "variables", {"variables": [{"name": "password", "value": "'tr0ub4dor'", "variablesReference": 0}]})
    log.client(5, "ask", {"question": "why?"})
    assert "StartAsk" in log.text  # its history quotes what was evaluated
    assert log.replay().difference is None


def test_the_token_of_the_session_is_in_no_line_and_still_lets_in():
    for token in ("t0", "sesame", "a-long-and-s3cret-token"):
        log = Log(SessionOptions(token=token))
        log.hear(fx.FromClient(INITIALIZE))
        log.backend(1, "initialize", {})
        log.client(2, "launch", {"program": "a.py", "dapAiToken": "wrong"})
        log.client(3, "launch", {"program": "a.py", "dapAiToken": token})
        assert f'"{token}"' not in log.text
        assert any(row.get("effect") == "Prepare" for row in log.rows)
        assert log.replay().difference is None


def test_the_token_that_goes_with_a_child_is_in_no_line_either():
    for token in ("t0", "sesame", "a-long-and-s3cret-token"):
        log = Log(SessionOptions(child_token=token))
        arguments = {"request": "attach", "configuration": {"connect": {"host": "127.0.0.1", "port": 5}}}
        start = {"seq": 9, "type": "request", "command": "startDebugging", "arguments": arguments}
        log.hear(fx.FromBackend(json.dumps(start).encode()), fx.ListenerReady("127.0.0.1", 5, 6))
        assert f'"{token}"' not in log.text
        assert '"dapAiToken": "<secret:' in log.text
        assert log.replay().difference is None


def test_what_lies_very_deep_is_recorded_all_the_same():
    log = Log()
    deep = b"[" * 600 + b"]" * 600
    log.hear(fx.FromBackend(b'{"seq":1,"type":"event","event":"vendor","body":%s}' % deep))
    assert len(log.rows) == 2


def test_what_an_answer_evaluates_is_left_out():
    log = Log()
    log.stop()
    log.client(3, "ask", {"question": "why?"})
    ask = next(row["data"]["ask"]["ask_id"] for row in log.rows if row.get("effect") == "StartAsk")
    wanted = {"expression": "walk('deep inside')", "frameId": 1, "context": "hover"}
    log.hear(fx.AgentRequest(ask, 1, log.session.state.epoch, "evaluate", wanted), fx.TimerFired("slots.quiet"))
    log.backend(3, "evaluate", {"result": '{"secrets": [["n", "rosebud77"]]}', "variablesReference": 0})
    assert "rosebud77" not in log.text
    assert "deep inside" not in log.text
    assert any(row.get("effect") == "ToAgent" for row in log.rows)
    assert log.replay().difference is None


def test_the_first_difference_is_told_with_its_place():
    log = Log()
    log.stop()
    row = next(row for row in log.rows if row.get("effect") == "ToBackend")
    row["message"]["arguments"]["adapterID"] = "y"
    found = log.replay().difference
    assert found is not None
    assert found.where == "message.arguments.adapterID"
    assert found.event.line == 2
    assert found.expected is not None
    assert found.expected.line == 3


def test_an_effect_more_or_less_is_a_difference():
    log = Log()
    log.stop()
    effect = next(row for row in log.rows if row.get("effect") == "ToBackend")
    rows = log.rows
    log.rows = [row for row in rows if row is not effect]
    found = log.replay().difference
    assert found is not None
    assert found.expected is None
    log.rows = [each for row in rows for each in ([row, row] if row is effect else [row])]
    found = log.replay().difference
    assert found is not None
    assert found.got is None


def test_a_huge_message_replays_without_its_body():
    log = Log()
    log.stop()
    output = b'{"seq":5,"type":"event","event":"output","body":{"output":"%s"}}' % (b"x" * MAX_CONTENT_BYTES)
    log.hear(fx.FromBackend(output), fx.FromBackend(b"{" + output))
    assert len(log.text) < 2 * MAX_CONTENT_BYTES
    assert log.replay().difference is None
