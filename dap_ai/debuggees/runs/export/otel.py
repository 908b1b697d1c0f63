"""Export to OTLP JSON with OpenTelemetry's GenAI attributes: spans for agents, model answers and tool calls.

Spans need times. An event without a time is placed a microsecond after the previous event. If no event has a time,
`dap_ai.time` is `order only`. Ids are derived from the run's contents, so two exports give the same trace.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta, timezone
from typing import Any

import dap_ai
from dap_ai.debuggees.runs.export.encoding import arguments_of, encoded, moment, name_of, start_of
from dap_ai.debuggees.runs.run_model import Agent, Event, Run, RunStep, steps_of

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_LATEST = 2**63 - 1
_MICROSECOND = 1000


def exported(run: Run) -> dict[str, bytes]:
    """Export the run as an OTLP trace. Returns the contents of each file by name (`spans.json`)."""
    return {"spans.json": encoded(request(run))}


def request(run: Run) -> dict[str, Any]:
    """Return the run as an `ExportTraceServiceRequest` of OTLP."""
    scope = {"name": "dap_ai", "version": dap_ai.__version__}
    resource = {"attributes": _attributes({"service.name": run.format or "agent"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": _Spans(run).all()}]}]}


class _Spans:
    """Builds the OTLP spans of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._trace = hashlib.sha256(_identity(run)).hexdigest()[:32]
        self._agents = list(run.agents) or [Agent("main")]
        names = [agent.name for agent in self._agents]
        names += [name for name in dict.fromkeys(event.agent for event in run.events) if name not in names]
        self._times = _times(run)
        self._call_ids: set[str] = set()
        self._spans = {name: self._id(number) for number, name in enumerate(names)}
        self._parents = {agent.name: agent.parent for agent in self._agents}
        self._models = {agent.name: agent.model for agent in self._agents}

    def all(self) -> list[dict[str, Any]]:
        """Return the spans of agents, then of model answers, then of tool calls, each in order."""
        spans = [self._agent(name) for name in self._spans]
        spans += [self._answer(event) for event in self._run.events if event.kind == "response"]
        spans += [self._call(step) for step in steps_of(self._run) if step.call or step.result]
        return spans

    def _id(self, number: int) -> str:
        return hashlib.sha256(f"{self._trace} {number}".encode()).hexdigest()[:16]

    def _span(self, name: str, span_id: str, parent: str, first: Event | None, last: Event | None) -> dict[str, Any]:
        begun = self._nanoseconds(first, 0.0)
        ended = max(self._nanoseconds(last, (last.took_s or 0.0) if last else 0.0), begun)
        span: dict[str, Any] = {"traceId": self._trace, "spanId": span_id, "name": name}
        if parent:
            span["parentSpanId"] = parent
        return span | {"startTimeUnixNano": str(begun), "endTimeUnixNano": str(ended)}

    def _nanoseconds(self, event: Event | None, after_s: float) -> int:
        """Return the time `after_s` seconds after an event, in nanoseconds since 1970."""
        found = self._times.get(event.index, 0) if event is not None else 0
        return min(found + int(min(max(after_s, 0.0), _LATEST) * 1e9), _LATEST)

    def _agent(self, name: str) -> dict[str, Any]:
        own = [event for event in self._run.events if event.agent == name]
        parent = self._spans.get(self._parents.get(name, ""), "")
        span = self._span(
            f"invoke_agent {name}", self._spans[name], "", own[0] if own else None, own[-1] if own else None
        )
        if parent and parent != self._spans[name]:
            span["parentSpanId"] = parent
        attributes: dict[str, Any] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        attributes["gen_ai.request.model"] = self._models.get(name) or None
        if not parent:
            attributes |= self._of_run()
        notes = [event for event in own if event.kind in {"task", "note", "change", "error", "end"} and event.text]
        events = [
            {
                "name": f"dap_ai.{event.kind}",
                "timeUnixNano": str(self._nanoseconds(event, 0.0)),
                "attributes": _attributes({"text": event.text}),
            }
            for event in notes
        ]
        return span | {"kind": _INTERNAL, "attributes": _attributes(attributes), "events": events}

    def _of_run(self) -> dict[str, Any]:
        run = self._run
        task = [{"role": "user", "parts": [{"type": "text", "content": run.task}]}]
        timed = any(event.at_s is not None for event in run.events) and start_of(self._run) is not None
        return {
            "gen_ai.conversation.id": name_of(run),
            "gen_ai.input.messages": _json(task) if run.task else None,
            "dap_ai.outcome": run.outcome.verdict,
            "dap_ai.outcome.words": run.outcome.words or None,
            "dap_ai.time": "recorded" if timed else "order only",
        }

    def _answer(self, event: Event) -> dict[str, Any]:
        model = self._models.get(event.agent, "")
        parts = [{"type": "reasoning", "content": event.reasoning}] if event.reasoning else []
        parts += [{"type": "text", "content": event.text}] if event.text else []
        usage = event.usage
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model or None,
            "gen_ai.agent.name": event.agent,
            "gen_ai.output.messages": _json([{"role": "assistant", "parts": parts}]),
            "gen_ai.usage.input_tokens": usage.input_tokens if usage else None,
            "gen_ai.usage.output_tokens": usage.output_tokens if usage else None,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens if usage else None,
            "dap_ai.cost_usd": usage.cost_usd if usage else None,
        }
        parent = self._spans[event.agent]
        span = self._span(f"chat {model}".strip(), self._id(1000 + event.index), parent, event, event)
        return span | {"kind": _CLIENT, "attributes": _attributes(attributes)}

    def _unique(self, call: Event) -> str | None:
        """Return the call's id, made unique; None if the call has no id.

        Some agents restart the numbering of calls in each answer.
        """
        if not call.call_id:
            return None
        told = f"{call.call_id}_{call.index}" if call.call_id in self._call_ids else call.call_id
        self._call_ids.add(told)
        return told

    def _call(self, step: RunStep) -> dict[str, Any]:
        """Return the span of a tool call. The call or its result may be missing."""
        call, result = step.call or step.result, step.result
        if call is None:
            return {}
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool or None,
            "gen_ai.tool.call.id": self._unique(call),
            "gen_ai.tool.call.arguments": _json(arguments_of(call)) if step.call else None,
            "gen_ai.tool.call.result": result.text if result is not None else None,
            "gen_ai.agent.name": call.agent,
            "dap_ai.step": step.number,
            "process.exit.code": result.exit_code if result is not None else None,
        }
        name = f"execute_tool {call.tool}".strip()
        span = self._span(name, self._id(1000 + call.index), self._spans[call.agent], call, result or call)
        failed = result is not None and result.status == "error"
        status = {"status": {"code": _ERROR}} if failed else {}
        return span | {"kind": _INTERNAL, "attributes": _attributes(attributes), **status}


def _times(run: Run) -> dict[int, int]:
    """Return the time of each event in nanoseconds since 1970, by event index.

    An event without a time gets the time a microsecond after the previous event.
    """
    start = start_of(run)
    now = 0 if start is None else _since_1970(start)
    times: dict[int, int] = {}
    for event in run.events:
        at = moment(start, event)
        now = now + _MICROSECOND if at is None else _since_1970(at)
        times[event.index] = min(max(now, 0), _LATEST)
    return times


def _since_1970(at: datetime) -> int:
    return max(int((at - _EPOCH) / timedelta(microseconds=1)) * _MICROSECOND, 0)


def _identity(run: Run) -> bytes:
    told = "\0".join([name_of(run), run.format, run.task, *(f"{event.kind}{event.text}" for event in run.events)])
    return told.encode("utf-8", "surrogatepass")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _attributes(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields as OTLP attributes. Fields that are None are left out."""
    return [{"key": key, "value": _value(value)} for key, value in fields.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
