"""What a question to a language model costs beside the model: dap_ai and ChatDBG at the same scripted endpoint.

    python benchmarks/agent.py [--runs 5] [--stream-runs 2] [--without-peer] [--json FILE]

The endpoint (tests/chat/endpoint.py, in this process) answers at once, so every figure is the debugger's own time. Both
sides get the same program, the same answers and the same number of tool calls, each with its own tool: `evaluate` of
`low + 1` here, `p low + 1` there. They run in turn, each run in new processes, on a terminal of 50 by 120:

  start               from the new process until it stands at the exception; for debugpy alone, to `stopped`. A question
                      can be asked then: `dap-ai ask` does it by itself, in ChatDBG we type `why` at its prompt
  first question      from then until the endpoint has the request
  start to first      the two together
    request
  follow-up           from a second question in the same conversation until the endpoint has the request; here by `ask`
                      over `dap-ai serve`
  question anew       the same for a question that begins another conversation with a whole new context; there, `renew`
  tool turn           from the last byte of a tool call to the request with its result (the first turn is left out)
  20-tool question    from the question to the last word of a short answer on the screen
  8,000 characters    from the request to the last word of the answer on the screen; it comes in pieces of 4 characters
  tokens              of the first request, in characters / 4

A question anew costs dap_ai more: it analyses the stop, and runs a failed assertion again, traced, in two copies of the
program, so that the model sees the guilty call; ChatDBG prints its stack. Linux and macOS only.

ChatDBG is installed with pip into the user's cache folder at the first run; that needs the network.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from _chatdbg import VERSION, ChatDBG, install
from _dap import DAP_AI, DEBUGPY_ADAPTER, ROOT, Client, machine, show, spread
from _screen import Screen
from _scripted import LAST_WORD, MODEL, Model, answer, calls, tokens

PROGRAM = ROOT / "examples" / "resampling.py"
TURNS = 20
EXPRESSION = "low + #"
SHORT = 200
LONG = (8000, 16000)
WARM_QUESTIONS = 5
FOLLOW_UP, ANEW = "follow-up", "question anew"
GOALS = {"start": "debugpy + 500", "first question": "100", ANEW: "100", "tool turn": "10"}
_LAUNCH = {"program": str(PROGRAM), "console": "internalConsole", "python": [sys.executable]}
_CLOCK = time.time() - time.perf_counter()
"""What Unix time is ahead of `time.perf_counter`."""

Times = dict[str, list[float]]
"""Milliseconds by what was measured."""


def by_debugpy() -> Times:
    """The adapter of debugpy alone, driven by a bare client."""
    began = time.perf_counter()
    with Client.spawn(DEBUGPY_ADAPTER) as client:
        client.start("launch", _LAUNCH, filters=["uncaught"])
        return {"start": [_ms(time.perf_counter() - began)]}


def by_dap_ai(model: Model) -> tuple[Times, dict[str, int]]:
    """`dap-ai ask` on a terminal, and the tokens of its first request."""
    model.expect(*calls("evaluate", "expression", TURNS, EXPRESSION), answer(SHORT))
    screen = _ask(model)
    try:
        stopped = screen.wait_for("stopped: ")
        shown = screen.wait_for(LAST_WORD)
    finally:
        screen.close(patience_s=5)
    return _asked(model, screen.began, stopped, stopped, shown), tokens(model.requests[0])


def by_chatdbg(model: Model) -> tuple[Times, dict[str, int]]:
    """ChatDBG on a terminal, and the tokens of its first request."""
    peer = ChatDBG(PROGRAM, model.url)
    try:
        model.expect(*calls("debug", "command", TURNS, f"p {EXPRESSION}"), answer(SHORT))
        typed = peer.ask("why")
        shown = peer.answered(LAST_WORD)
        times = _asked(model, peer.screen.began, peer.ready, typed, shown)
        size = tokens(model.requests[0])
        times[FOLLOW_UP], times[ANEW] = [], []
        for _ in range(WARM_QUESTIONS):
            for kind in (FOLLOW_UP, ANEW):
                if kind == ANEW:
                    peer.renew()
                model.expect(answer(SHORT))
                typed = peer.ask("and why was that?")
                peer.answered(LAST_WORD)
                times[kind].append(_ms(model.requests[0].at - _CLOCK - typed))
    finally:
        peer.close()
    return times, size


def _asked(model: Model, began: float, ready: float, asked: float, shown: float) -> Times:
    return {
        "start": [_ms(ready - began)],
        "first question": [_ms(model.requests[0].at - _CLOCK - asked)],
        "start to first request": [_ms(model.requests[0].at - _CLOCK - began)],
        "tool turn": [_ms(seconds) for seconds in model.turns()[1:]],
        "20-tool question": [_ms(shown - asked)],
    }


def warm_dap_ai(model: Model) -> Times:
    """`ask` over the Debug Adapter Protocol, in a session that has answered before."""
    times: Times = {FOLLOW_UP: [], ANEW: []}
    settings = [f"{name}={value}" for name, value in _settings(model).items()]
    with Client.spawn(["env", *settings, *DAP_AI, "serve"]) as client:
        question: dict[str, Any] = {"question": "and why was that?"}
        question["threadId"] = client.start("launch", _LAUNCH, filters=["uncaught"])["threadId"]
        conversation, _ = _over_dap(client, model, question)
        for _ in range(WARM_QUESTIONS):
            _, taken = _over_dap(client, model, {**question, "conversationId": conversation})
            times[FOLLOW_UP].append(taken)
            conversation, taken = _over_dap(client, model, question)
            times[ANEW].append(taken)
    return times


def _over_dap(client: Client, model: Model, question: Mapping[str, Any]) -> tuple[str, float]:
    """The conversation of one `ask`, and the milliseconds until the endpoint had its request."""
    model.expect(answer(SHORT))
    asked = time.time()
    conversation = client.request("ask", question)["conversationId"]
    client.event("askEnded")
    return conversation, _ms(model.requests[0].at - asked)


def stream_dap_ai(model: Model, characters: int) -> Times:
    """One long answer to `dap-ai ask` on a terminal."""
    model.expect(answer(characters))
    screen = _ask(model)
    try:
        shown = screen.wait_for(LAST_WORD)
    finally:
        screen.close(patience_s=5)
    return {_streamed(characters): [_ms(shown - (model.requests[0].at - _CLOCK))]}


def stream_chatdbg(model: Model, characters: int) -> Times:
    """One long answer in ChatDBG on a terminal."""
    peer = ChatDBG(PROGRAM, model.url)
    try:
        model.expect(answer(characters))
        peer.ask("why")
        shown = peer.answered(LAST_WORD)
    finally:
        peer.close()
    return {_streamed(characters): [_ms(shown - (model.requests[0].at - _CLOCK))]}


def _ask(model: Model) -> Screen:
    return Screen([*DAP_AI, "ask", "--python", sys.executable, str(PROGRAM)], {**os.environ, **_settings(model)})


def _settings(model: Model) -> dict[str, str]:
    return {
        "DAP_AI_CONFIG": os.devnull,
        "DAP_AI_PROVIDER": "openai",
        "DAP_AI_MODEL": MODEL,
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "none",
        "TERM": "xterm-256color",
    }


def _streamed(characters: int) -> str:
    return f"{characters:,} characters"


def _ms(seconds: float) -> float:
    return seconds * 1000


def _gather(taken: dict[str, Times], side: str, times: Times) -> None:
    for name, values in times.items():
        taken.setdefault(side, {}).setdefault(name, []).extend(values)


def measure(runs: int, stream_runs: int, *, peer: bool) -> tuple[dict[str, Times], dict[str, dict[str, int]]]:
    """All times by side, and the tokens of each side's first request. The first run fills the disk's cache."""
    taken: dict[str, Times] = {}
    sizes: dict[str, dict[str, int]] = {}
    model = Model()
    with model:
        for run in range(runs + 1):
            one: dict[str, Times] = {}
            _gather(one, "debugpy", by_debugpy())
            times, sizes["dap_ai"] = by_dap_ai(model)
            _gather(one, "dap_ai", times)
            _gather(one, "dap_ai", warm_dap_ai(model))
            if peer:
                times, sizes["chatdbg"] = by_chatdbg(model)
                _gather(one, "chatdbg", times)
            if run:
                for side, times in one.items():
                    _gather(taken, side, times)
        for characters in LONG * stream_runs:
            _gather(taken, "dap_ai", stream_dap_ai(model, characters))
            if peer:
                _gather(taken, "chatdbg", stream_chatdbg(model, characters))
    return taken, sizes


def report(taken: Mapping[str, Times], sizes: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Prints the tables; their figures."""
    figures = {side: {name: _spread(values) for name, values in times.items()} for side, times in taken.items()}
    base = figures.pop("debugpy")["start"]
    ours, theirs = figures["dap_ai"], figures.get("chatdbg", {})
    columns = ["", "dap_ai", "p99", "least", f"ChatDBG {VERSION}", "p99", "least", "times", "goal"]
    rows = [["start of debugpy alone", *base.values(), *["-"] * 4, ""]]
    rows += [_row(name, ours[name], theirs.get(name)) for name in ours]
    show("milliseconds: medians, 99th percentiles, least", columns, rows)
    load = ", ".join(f"{of:.1f}" for of in os.getloadavg())
    later = {key: round(ours["start"][key] - base[key], 1) for key in ("median_ms", "least_ms")}
    print(f"\n  load average {load} on {os.cpu_count()} cores: on a busy machine the least is nearest to the truth")
    print(
        f"  dap_ai stands at the exception {later['median_ms']:+.0f} ms after debugpy alone ({later['least_ms']:+.0f})"
    )
    growth = {side: _growth(one) for side, one in figures.items() if _streamed(LONG[0]) in one}
    print(
        *(f"  an answer twice as long takes {side} {times:.1f} times the time" for side, times in growth.items()),
        sep="\n",
    )
    show(
        "tokens of the first request (characters / 4)",
        ["", *sizes],
        [[part, *(size[part] for size in sizes.values())] for part in ("messages", "tools")],
    )
    more = {"after_debugpy": later, "tokens": sizes, "growth": growth, "load": os.getloadavg()}
    return {"debugpy": {"start": base}, **figures, **more}


def _spread(values: Sequence[float]) -> dict[str, Any]:
    measured = spread(values)
    return {"median_ms": measured["median_ms"], "p99_ms": measured["p99_ms"], "least_ms": round(min(values), 3)}


def _row(name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any] | None) -> Sequence[object]:
    goal = GOALS.get(name, "")
    if not theirs:
        return [name, *ours.values(), *["-"] * 4, goal]
    return [name, *ours.values(), *theirs.values(), f"{theirs['median_ms'] / ours['median_ms']:.1f}x", goal]


def _growth(figures: Mapping[str, Mapping[str, Any]]) -> float:
    short, long = (figures[_streamed(characters)]["median_ms"] for characters in LONG)
    return round(long / short, 2)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="of each side, the first not counted (default: 5)")
    parser.add_argument("--stream-runs", type=int, default=2, help="of each long answer (default: 2)")
    parser.add_argument("--without-peer", action="store_true", help="measure dap_ai alone; nothing is installed")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    missing = "not wanted" if options.without_peer else install()
    if missing:
        print(f"ChatDBG IS MISSING from these figures: {missing}")
    taken, sizes = measure(options.runs, options.stream_runs, peer=not missing)
    figures = report(taken, sizes)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
