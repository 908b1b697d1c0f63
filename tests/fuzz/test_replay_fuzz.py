"""Whatever happens to a session, its wire log has the same effects again, and the secrets that were said are not in it."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.adapter.recording.journal import options_row, rules_row
from dap_ai.adapter.recording.recorder import Recorder
from dap_ai.adapter.recording.replaying import Numbered, Replay, ReplayDifference
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.masking.mask import Masker
from tests.fuzz.test_session_fuzz import ASKING, acts, family, steps
from tests.fuzz.world import World
from tests.playbook import Rules

SECRET = "hunter2-and-more"


class Logged(Session):
    """A session whose every line is kept."""

    def __init__(self) -> None:
        rules = Rules(greeting=("evaluate", {"expression": "x"}))
        super().__init__(rules, SessionOptions(level="mutate"))
        self.recorder = Recorder(Masker())
        self.lines = [json.dumps(self.recorder.header(rules_row(rules) | options_row(self.options)))]

    def receive(self, event: fx.Event) -> list[fx.Effect]:
        effects = super().receive(event)
        self.lines += [json.dumps(row) for row in self.recorder.rows([event, *effects])]
        return effects

    def replay(self) -> ReplayDifference | None:
        header, *rows = map(json.loads, self.lines)
        replay = Replay(header)
        for number, row in enumerate([*rows, {"ended": True}], 2):
            replay.feed(Numbered(number, row))
        return replay.difference


def happen(session: Logged, script: list[tuple[Any, ...]]) -> None:
    """All of it; what must hold of its effects is for other tests to say."""
    world = World(session)
    with contextlib.suppress(AssertionError):
        for step in script:
            world.step(step)
        world.end()


secrets = st.one_of(
    st.tuples(st.just("event"), st.just("output"), st.sampled_from([{"output": f"{SECRET} "}, {"output": "a"}])),
    st.tuples(st.just("answer"), st.just(0), st.just(True), st.just({"name": "password", "value": f"'{SECRET}'"})),
    st.tuples(st.just("answer"), st.just(0), st.just(True), st.just({"result": f"'{SECRET}'"})),
    st.tuples(st.just("request"), st.just("evaluate"), st.just({"expression": "password", "context": "repl"})),
    st.tuples(st.just("request"), st.just("evaluate"), st.just({"expression": f"'{SECRET}'", "context": "repl"})),
    st.tuples(st.just("request"), st.just("launch"), st.just({"env": {"API_KEY": SECRET}})),
    st.tuples(st.just("say"), st.sampled_from(["answer", "status"]), st.sampled_from([f"it is {SECRET}", SECRET[:6]])),
)


@settings(max_examples=100, deadline=None)
@given(st.booleans(), st.lists(st.one_of(steps, acts, family, secrets), min_size=10, max_size=60))
def test_whatever_happens_a_recorded_session_is_the_same_again(stopped: bool, script: list[tuple[Any, ...]]):
    session = Logged()
    happen(session, [*(ASKING if stopped else []), *script])
    assert session.replay() is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(steps, acts, family, secrets), min_size=10, max_size=60))
def test_a_secret_once_known_is_in_no_line_after(script: list[tuple[Any, ...]]):
    session = Logged()
    happen(session, [("event", "output", {"output": f"password = '{SECRET}'"}), *ASKING, *script])
    assert SECRET not in "\n".join(session.lines)
