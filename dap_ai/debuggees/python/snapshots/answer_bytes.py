"""Encodes a snapshot's answer within a size limit; leaves out parts of a long trace, with a mark."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any, Iterator

from ..inspector.jsons import dumps, loads

_MAX_TOLD_LINES = 300


def encoded(**parts: Any) -> bytes:
    """Returns the given fields as ASCII JSON."""
    return dumps(parts)


def unavailable(why: str, **parts: Any) -> bytes:
    """Returns the answer of a job that could not run, with the reason."""
    return encoded(done=True, status="unavailable: " + why, **parts)


def fitting(reply: dict[str, Any], max_bytes: int) -> bytes:
    """Returns a SnapshotResult dict as JSON of at most `max_bytes`, shortened if necessary."""
    data = encoded(done=True, **reply)
    for _ in _shortened(reply):
        if len(data) <= max_bytes:
            break
        data = encoded(done=True, **reply)
    return data if len(data) <= max_bytes else unavailable("its answer is too long")


def completed(answer: bytes, effects: list[str], refusals: list[str]) -> bytes:
    """Adds effects and refusals that the copy does not know to its answer; returns other bytes unchanged."""
    try:
        reply = loads(answer) if effects or refusals else None
    except ValueError:
        reply = None
    if type(reply) is not dict or type(reply.get("effects", [])) is not list:
        return answer
    reply["effects"], reply["refusals"] = reply.get("effects", []) + effects, refusals
    return dumps(reply)


def _shortened(reply: dict[str, Any]) -> Iterator[None]:
    """Shortens a reply in place, by one more step at each iteration."""
    yield
    trace = reply.get("trace")
    if trace is not None:
        trace["truncated"] = True
        for kept in (2000, 500, 0) if trace.get("history") else ():
            _cut(trace, kept)
            yield
        for calls, changes in ((100, 8), (50, 3), (20, 1)):
            trace["calls"] = trace["calls"][:calls]
            for line in trace["lines"]:
                line["changes"] = line["changes"][:changes]
            yield
        often = sorted(range(len(trace["lines"])), key=lambda at: -trace["lines"][at]["count"])
        for at in often[: max(0, len(often) - _MAX_TOLD_LINES)]:
            trace["lines"][at]["changes"] = []
        yield
        trace["lines"] = trace["lines"][:_MAX_TOLD_LINES] + trace["lines"][-_MAX_TOLD_LINES:]
        yield
        reply["trace"] = {"truncated": True, "events": trace["events"]}
        yield
    followed = reply.get("followed")
    if followed is not None:
        for kept in (30, 3):
            followed["first"], followed["last"] = followed["first"][:kept], followed["last"][-kept:]
            yield
    if reply.get("beside") is not None:
        reply["beside"]["lines"] = []
        yield
    raised = reply.get("raised")
    if raised is not None:
        raised["watched"] = [None for _ in raised["watched"]]
        yield
    reply["printed"], reply["printed_truncated"] = reply.get("printed", "")[:2000], True
    yield


def _cut(trace: dict[str, Any], kept: int) -> None:
    """Keeps only the last `kept` steps of a trace's history, with their values and runs; 0 removes the history."""
    history = trace["history"]
    if not kept:
        del trace["history"]
        return
    steps = history["steps"]
    first = max(history["first"], history["first"] + len(steps) // 2 - kept)
    history["first"], history["steps"] = first, steps[-2 * kept :]
    history["values"] = [value for value in history["values"] if value[0] >= first]
    kept_runs = set(history["steps"][::2])
    history["runs"] = [run for run in history["runs"] if run[0] in kept_runs]
