"""Runs made by hand: an ordinary one, one with sub-agents, hostile ones, and any one at all (hypothesis)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dap_ai.debuggees.runs.run_model import Agent, Event, EventKind, Outcome, Problem, Ref, Run, TokenUsage

HOSTILE = (
    "</script></pre><img src=x onerror=\"document.title='pwned'\">\x1b]0;pwned\x07\x1b[2J\u202e```` <!-- & \r\n\x00"
)
"""What every field of a hostile run holds."""


def event(index: int, kind: EventKind, text: str = "", **fields: Any) -> Event:
    ref = fields.pop("ref", Ref("run.jsonl", (index + 1, index + 1)))
    return Event(index, kind, ref, text=text, **fields)


def ordinary() -> Run:
    """Four steps: two parallel calls, a change, a message."""
    events = [
        event(0, "task", "Fix total()."),
        event(1, "response", "I look first.", cycle=1, at_s=1.0, usage=TokenUsage(100, 20, 30, 0.01), reasoning="hm"),
        event(
            2, "call", "cat shop.py", step=1, cycle=1, tool="bash", call_id="a", arguments={"command": "cat shop.py"}
        ),
        event(3, "call", "pytest -q", step=2, cycle=1, tool="bash", call_id="b", arguments={"command": "pytest -q"}),
        event(4, "result", "1 failed in 0.1s", step=2, cycle=1, tool="bash", call_id="b", status="error", exit_code=1),
        event(5, "result", "def total(): ...", step=1, cycle=1, tool="bash", call_id="a", status="ok", exit_code=0),
        event(6, "response", "I change it.", cycle=2, at_s=4.5, usage=TokenUsage(200, None, 40, 0.02)),
        event(
            7,
            "call",
            step=3,
            cycle=2,
            tool="str_replace_editor",
            call_id="c",
            arguments={"command": "str_replace", "path": "shop.py", "old_str": "return 1", "new_str": "return 2"},
        ),
        event(8, "result", "edited", step=3, cycle=2, call_id="c", status="ok"),
        event(9, "response", "Done: total() is right.", cycle=3, step=4, at_s=9.0),
        event(10, "end", "submitted"),
    ]
    return Run(
        root="/runs/shop.jsonl",
        format="hand-made",
        agents=[Agent("main", model="gpt-x")],
        task="Fix total().",
        events=events,
        outcome=Outcome("failed", "reward 0", Ref("result.json", None, "/reward")),
        started="2026-03-01T10:00:00Z",
        seconds=9.5,
        cost_usd=0.03,
        problems=[Problem(Ref("run.jsonl", (12, 12)), "line 12 is no JSON")],
        artefacts=["run.jsonl"],
    )


def with_sub_agents() -> Run:
    """The main agent calls a reviewer, which calls a tester; the reviewer's result comes at the end."""
    events = [
        event(0, "task", "Review it."),
        event(1, "response", "I delegate.", cycle=1),
        event(2, "call", "review", step=1, cycle=1, tool="delegate", call_id="d"),
        event(3, "response", "I test.", agent="reviewer", cycle=1),
        event(4, "call", "ask tester", step=2, agent="reviewer", cycle=1, tool="delegate", call_id="e"),
        event(5, "response", "All pass.", step=3, agent="tester", cycle=1),
        event(6, "result", "tester: all pass", step=2, agent="reviewer", call_id="e"),
        event(7, "result", "reviewer: fine", step=1, call_id="d"),
        event(8, "response", "It is fine.", step=4, cycle=2),
    ]
    agents = [Agent("main"), Agent("reviewer", "main"), Agent("tester", "reviewer", "small-model")]
    return Run(root="/runs/sub", format="hand-made", agents=agents, task="Review it.", events=events)


def hostile() -> Run:
    """HOSTILE in every text there is."""
    kinds: list[EventKind] = ["task", "query", "response", "call", "result", "note", "change", "error", "end"]
    ref = Ref(HOSTILE, (1, 2), HOSTILE)
    events = [
        Event(
            index,
            kind,
            ref,
            agent=HOSTILE,
            step=1 if kind in {"call", "result"} else 0,
            text=HOSTILE,
            reasoning=HOSTILE,
            call_id=HOSTILE,
            tool=HOSTILE,
            arguments={HOSTILE: HOSTILE, "more": [HOSTILE, {HOSTILE: 1}]},
            native_id=HOSTILE,
            more=[ref],
        )
        for index, kind in enumerate(kinds)
    ]
    return Run(
        root=f"/runs/{HOSTILE.replace('/', '')}",
        format=HOSTILE,
        format_version=HOSTILE,
        agents=[Agent(HOSTILE, HOSTILE, HOSTILE)],
        task=HOSTILE,
        events=events,
        outcome=Outcome("failed", HOSTILE, ref),
        started=HOSTILE,
        workspace=HOSTILE,
        problems=[Problem(ref, HOSTILE)],
        artefacts=[HOSTILE],
    )


_texts = st.text(max_size=12) | st.sampled_from(["", HOSTILE, "a", "\ud800"])
_names = st.sampled_from(["main", "sub", "other"])
_times = st.none() | st.floats(-1e3, 1e12)


@st.composite
def any_event(draw: st.DrawFn, index: int) -> Event:
    kind: EventKind = draw(st.sampled_from(EventKind.__args__))
    return Event(
        index,
        kind,
        Ref(draw(_texts)),
        agent=draw(_names),
        cycle=draw(st.integers(0, 3)),
        step=draw(st.integers(0, 4)) if kind not in {"task", "query"} else 0,
        at_s=draw(_times),
        took_s=draw(_times),
        text=draw(_texts),
        reasoning=draw(_texts),
        call_id=draw(st.sampled_from(["", "a", "b"])),
        tool=draw(st.sampled_from(["", "bash", HOSTILE])),
        arguments=draw(st.none() | st.dictionaries(_texts, _texts | st.integers(), max_size=2)),
        status=draw(st.sampled_from(["ok", "error", "unknown"])),
        exit_code=draw(st.none() | st.integers(-1, 3)),
        usage=draw(
            st.none() | st.builds(TokenUsage, st.none() | st.integers(0, 9), st.none(), st.integers(0, 9), st.none())
        ),
    )


@st.composite
def any_run(draw: st.DrawFn) -> Run:
    """Whatever a reader of anybody's might give: steps out of order, results of no call, cycles of parents."""
    events = [draw(any_event(index)) for index in range(draw(st.integers(0, 8)))]
    agents = [Agent(name, draw(_names)) for name in draw(st.lists(_names, unique=True))]
    started = draw(st.sampled_from(["", "2026-03-01T10:00:00Z", "0001-01-01", HOSTILE]))
    return Run("/runs/any", "any", agents=agents, task=draw(_texts), events=events, started=started)
