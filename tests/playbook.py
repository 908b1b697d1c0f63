"""Playbooks: a conversation with a `Session`, written down as it happens.

Each `>>` line is an event; the `<<` lines that follow must be exactly the effects, in order:

    >> client request 7 threads {}          << backend request 1 threads {}
    >> backend response 1 threads ok {}     << client response 7 threads ok {}
    >> client response 3 runInTerminal ok   << client event stopped {...}
    >> backend request 4 runInTerminal {}   << client request 12 runInTerminal {}
    >> backend closed WHY                   << end backend
    >> client closed                        << close
    >> fired TIMER                          << timer NAME          << untimer NAME
    >> prepared {}                          << prepare launch {}
    >> prepared error TEXT                  >> prepared connected {}
    >> prepared at HOST PORT {}
    >> prepared noted TEXT
    >> agent request ASK TOKEN EPOCH stackTrace {}   << agent TOKEN ok {}   << agent TOKEN error notStopped
    >> agent output ASK answer TEXT         << start ASK thread T epoch E | << start ASK nothing stopped
    >> agent ended ASK                      << cancel ASK          << log TEXT
    >> agent job ASK TOKEN EPOCH            << backend request 4 evaluate {"kill": "TOKEN"}
    >> agent job-ended TOKEN                >> agent job-ended TOKEN alive
    >> agent approval ASK TOKEN EPOCH {}    << settled TOKEN allowed once | << settled TOKEN refused timeout
    >> agent act ASK TOKEN EPOCH Step {}    << settled TOKEN done {}
    >> looked ASK recalled {}               << look ASK
    >> looked ASK rewound {}                << look ASK {"at": 3}
    >> looked ASK why TEXT
    >> agent model ASK TOKEN {}             << lent TOKEN {}       << settled TOKEN reply {}
    >> guest G request 2 ask {}             << guest G response 2 ask ok {}
    >> guest G closed                       << guest G close
    >> relatives ID ID | >> relatives need  << relative ID request 2 ask {}
    >> relative ID response 2 ask ok {}     >> relative ID closed
    >> listener HOST PORT OWN_PORT          << listen HOST PORT | << expect {}

A model's {} holds `messages` and `tool_arguments`. An approval's {} holds `kind`, `action` and `reason`; an action's
{} the fields of its struct. Actions are of thread 1.

JSON is compared as JSON; a trailing `...` on a `<<` line matches anything that follows. Timers are
left out unless `timers` is set. Seqs of messages to the client must only grow.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts import debugger, tool_arguments
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire import lent_replies


class Rules:
    """A backend's rules, as a test wants them."""

    def __init__(
        self,
        denied: dict[str, str] | None = None,
        greeting: tuple[str, dict[str, Any]] | None = None,
        *,
        runs_again: bool = False,
    ):
        self.denied = denied or {}
        self.wedged_while_running = frozenset({"exceptionInfo"})
        self.wedged_when_ended: frozenset[str] = frozenset()
        self.vendor_requests: frozenset[str] | None = None
        self.ends_without_arguments = False
        self.scopes_shared = False
        self.runs_code: frozenset[str] = frozenset()
        self.runs_again = runs_again
        self.told_of_client: frozenset[str] = frozenset()
        self.greeting = greeting

    def announced(self, names: object) -> Rules:
        return self


class Playbook:
    """A session and what it has said. `play(text)` goes on with the same session."""

    def __init__(self, rules: Rules | None = None, options: SessionOptions | None = None, *, timers: bool = False):
        self.session = Session(rules or Rules(), options)
        self.timers = timers
        """Show timers too."""
        self._last_seqs: dict[str, int] = {}
        """To the client (the empty name) and to each guest."""

    def play(self, text: str) -> None:
        """Plays the lines; an unexpected effect fails with both sides shown."""
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
        index = 0
        while index < len(lines):
            assert lines[index].startswith(">> "), f"not an event: {lines[index]}"
            event = lines[index][3:]
            index += 1
            expected = []
            while index < len(lines) and lines[index].startswith("<< "):
                expected.append(" ".join(lines[index][3:].split()))
                index += 1
            self._check(event, expected)

    def event(self, text: str) -> fx.Event:
        """What a line after `>>` stands for."""
        return _event(text)

    def _check(self, event: str, expected: list[str]) -> None:
        got = [self.render(effect) for effect in self.session.receive(_event(event))]
        got = [line for line in got if line is not None]
        told = "\n  ".join([f"after: {event}", "expected:", *expected, "got:", *got])
        assert len(got) == len(expected) and all(map(_matches, got, expected)), told

    def _of(self, guest: str, body: bytes) -> dict[str, Any]:
        message = json.loads(body)
        assert message["seq"] > self._last_seqs.get(guest, 0), f"seq does not grow: {message}"
        self._last_seqs[guest] = message["seq"]
        return message

    def render(self, effect: fx.Effect) -> str | None:
        """An effect as a playbook writes it; None: not shown."""
        match effect:
            case fx.ToClient(body):
                return "client " + _render_message(self._of("", body))
            case fx.ToBackend(body):
                return "backend " + _render_message(json.loads(body))
            case fx.ToAgent(token, body, error):
                return (
                    f"agent {token} error {error.message}" if error else f"agent {token} ok {_json(json.loads(body))}"
                )
            case fx.Settled(token, debugger.Consent(allowed, how)):
                return f"settled {token} {'allowed' if allowed else 'refused'} {how}"
            case fx.Settled(token, lent_replies.LentReply() as reply):
                return f"settled {token} reply {_json({k: v for k, v in msgspec.to_builtins(reply).items() if v})}"
            case fx.Lent(token, piece):
                return f"lent {token} {_json({k: v for k, v in msgspec.to_builtins(piece).items() if v})}"
            case fx.Settled(token, done):
                return f"settled {token} done {_json(_fields(done))}"
            case fx.StartAsk(ask, stop, _):
                where = f"thread {stop.thread_id} epoch {stop.epoch}" if stop else "nothing stopped"
                return f"start {ask.ask_id} {where}"
            case fx.CancelAsk(ask_id):
                return f"cancel {ask_id}"
            case fx.LookBack(ask, _, query):
                rewind = msgspec.to_builtins(query.rewind) if query else {}
                return f"look {ask.ask_id} {_json(rewind)}"
            case fx.Prepare(command, arguments, own):
                ours = "" if own == b"{}" else f" ours {_json(json.loads(own))}"
                return f"prepare {command} {_json(json.loads(arguments))}{ours}"
            case fx.SetTimer(timer_id, _):
                return f"timer {timer_id}" if self.timers else None
            case fx.CancelTimer(timer_id):
                return f"untimer {timer_id}" if self.timers else None
            case fx.PauseTimer(timer_id):
                return f"pause {timer_id}" if self.timers else None
            case fx.ResumeTimer(timer_id):
                return f"resume {timer_id}" if self.timers else None
            case fx.EndBackend():
                return "end backend"
            case fx.Close():
                return "close"
            case fx.Log(text):
                return f"log {text}"
            case fx.ToGuest(guest, body):
                return f"guest {guest} {_render_message(self._of(guest, body))}"
            case fx.CloseGuest(guest):
                return f"guest {guest} close"
            case fx.ToRelative(session_id, body):
                return f"relative {session_id} {_render_message(json.loads(body))}"
            case fx.Listen(host, port):
                return f"listen {host} {port}"
            case fx.Expect(configuration):
                return f"expect {_json(json.loads(configuration))}"
        raise AssertionError(effect)


def _fields(done: debugger.Consent | debugger.ActionResult) -> dict[str, Any]:
    """What is not as by default; of a stop its epoch and thread."""
    fields = {name: value for name, value in msgspec.structs.asdict(done).items() if value}
    if stop := fields.get("stop"):
        fields["stop"] = {"epoch": stop.epoch, "thread": stop.thread_id}
    return fields


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _render_message(message: dict[str, Any]) -> str:
    match message["type"]:
        case "request":
            return f"request {message['seq']} {message['command']} {_json(message.get('arguments', {}))}"
        case "event":
            return f"event {message['event']} {_json(message.get('body', {}))}"
    outcome = "ok" if message["success"] else f"fail {message.get('message', '')}"
    return f"response {message['request_seq']} {message['command']} {outcome} {_json(message.get('body', {}))}"


def _matches(got: str, expected: str) -> bool:
    if expected.endswith("..."):
        return got.startswith(expected[:-3].rstrip())
    head, brace, tail = expected.partition("{")
    if brace and " ours " not in tail:
        expected = head + _json(json.loads(brace + tail))
    elif got.endswith(" {}"):
        got = got[:-3]
    return got == expected.rstrip()


def _event(text: str) -> fx.Event:
    who, _, rest = text.partition(" ")
    words = rest.split()
    begin = next((at for at, char in enumerate(rest) if char in "{["), None)
    content = None if begin is None else json.loads(rest[begin:])
    match who, words[0] if words else "":
        case "client", "closed":
            return fx.ClientClosed()
        case "backend", "closed":
            return fx.BackendClosed(" ".join(words[1:]))
        case "backend", "unstarted":
            return fx.BackendClosed(" ".join(words[1:]), started=False)
        case (("client" | "backend"), kind):
            body = json.dumps(_message(kind, words[1:], content)).encode()
            return fx.FromClient(body) if who == "client" else fx.FromBackend(body)
        case "guest", guest:
            if words[1] == "closed":
                return fx.GuestClosed(guest)
            return fx.FromGuest(guest, json.dumps(_message(words[1], words[2:], content)).encode())
        case "relative", session_id:
            if words[1] == "closed":
                return fx.RelativeClosed(session_id)
            return fx.FromRelative(session_id, json.dumps(_message(words[1], words[2:], content)).encode())
        case "relatives", _:
            stopped = tuple(fx.Relative(word, f"{word}.py") for word in words if word != "need")
            return fx.RelativesChanged(stopped, need_adapter="need" in words)
        case "listener", host:
            return fx.ListenerReady(host, int(words[1]), int(words[2]))
        case "fired", timer_id:
            return fx.TimerFired(timer_id)
        case "prepared", "error":
            return fx.Prepared(error=" ".join(words[1:]))
        case "prepared", "noted":
            return fx.Prepared(note=" ".join(words[1:]))
        case "prepared", "at":
            return fx.Prepared(json.dumps(content or {}).encode(), adapter=(words[1], int(words[2])))
        case "prepared", word:
            return fx.Prepared(json.dumps(content or {}).encode(), connected=word == "connected")
        case "agent", "request":
            return fx.AgentRequest(words[1], int(words[2]), int(words[3]), words[4], content or {})
        case "agent", "output":
            return fx.AgentOutput(words[1], words[2], rest.split(" ", 3)[3].replace("\\n", "\n"))  # type: ignore[arg-type]
        case "agent", "job":
            return fx.JobBegun(words[1], words[2], int(words[3]), "evaluate", {"kill": words[2]})
        case "agent", "job-ended":
            return fx.JobEnded(words[1], alive="alive" in words)
        case "agent", "approval":
            return fx.ApprovalRequest(words[1], int(words[2]), int(words[3]), **(content or {}))
        case "agent", "model":
            return fx.ModelRequest(words[1], int(words[2]), **({"messages": [], "tools": []} | (content or {})))
        case "agent", "act":
            fields = dict(content or {})
            frame_id = fields.pop("frame_id", 0)
            return fx.ActionRequest(
                words[1], int(words[2]), int(words[3]), 1, getattr(tool_arguments, words[4])(**fields), frame_id
            )
        case "looked", ask_id:
            match words[1]:
                case "recalled":
                    rewound = msgspec.convert(content, Rewound)
                    return fx.LookedBack(ask_id, Recalled(SnapshotQuery(1), "it", rewound, within=rewound.within))
                case "rewound":
                    return fx.LookedBack(ask_id, result=SnapshotResult("ok", rewound=msgspec.convert(content, Rewound)))
                case _:
                    return fx.LookedBack(ask_id, why=rest.split(" ", 2)[2])
        case "agent", "ended":
            return fx.AgentEnded(words[1], Answer(), " ".join(words[2:]))
    raise AssertionError(f"no such event: {text}")


def _message(kind: str, words: list[str], content: dict[str, Any] | None) -> dict[str, Any]:
    match kind:
        case "request":
            message = {"seq": int(words[0]), "type": "request", "command": words[1]}
            return message | ({} if content is None else {"arguments": content})
        case "event":
            return {"seq": 0, "type": "event", "event": words[0], "body": content or {}}
        case "response":
            message = {"seq": 0, "type": "response", "request_seq": int(words[0]), "command": words[1]}
            message |= {"success": words[2] == "ok"}
            if words[2] == "fail":
                message["message"] = words[3] if len(words) > 3 else "no"
            return message | ({} if content is None else {"body": content})
    raise AssertionError(f"no such message: {kind}")
