"""ATIF by the rules of the format, as others have written them down (the package `atif`)."""

from __future__ import annotations

import json

import atif
from hypothesis import given, settings

from dap_ai.debuggees.runs.export.atif import exported, trajectory
from dap_ai.debuggees.runs.run_model import Agent, Event, Ref, Run
from tests.unit.debuggees.runs.hand_made import any_run, event, hostile, ordinary, with_sub_agents


def validated(run: Run) -> atif.Trajectory:
    return atif.Trajectory.model_validate(json.loads(exported(run)["trajectory.json"]))


def test_an_ordinary_run_keeps_to_the_format():
    found = validated(ordinary())
    assert [(step.source, len(step.tool_calls or ())) for step in found.steps] == [
        ("user", 0),
        ("agent", 2),
        ("agent", 1),
        ("agent", 0),
        ("system", 0),
    ]


def test_each_result_stands_with_its_call_in_the_order_in_which_they_came():
    results = validated(ordinary()).steps[1].observation.results
    assert [(result.source_call_id, result.content) for result in results] == [
        ("b", "1 failed in 0.1s"),
        ("a", "def total(): ..."),
    ]


def test_moments_and_tokens_are_those_that_were_recorded():
    found = validated(ordinary())
    assert found.steps[1].timestamp == "2026-03-01T10:00:01+00:00"
    assert (found.steps[1].metrics.prompt_tokens, found.steps[1].metrics.cached_tokens) == (100, 20)
    assert (found.final_metrics.total_prompt_tokens, found.final_metrics.total_cost_usd) == (300, 0.03)
    assert found.steps[0].timestamp is None


def test_a_sub_agent_is_embedded_where_its_parent_called_it():
    found = validated(with_sub_agents())
    (reviewer,) = found.subagent_trajectories
    (tester,) = reviewer.subagent_trajectories
    first = found.steps[1].observation.results[0]
    assert (first.source_call_id, first.subagent_trajectory_ref[0].trajectory_id) == ("d", "reviewer")
    assert tester.steps[0].message == "All pass."
    assert tester.agent.model_name == "small-model"


def test_a_cycle_of_parents_loses_no_agent():
    agents = [Agent("main", "b"), Agent("a", "b"), Agent("b", "a")]
    events = [
        event(index, "response", name, agent=name, step=index + 1) for index, name in enumerate(("main", "a", "b"))
    ]
    document = json.dumps(trajectory(Run("/r", "x", agents=agents, events=events)))
    assert all(f'"message": "{name}"' in document for name in ("main", "a", "b"))


def test_two_calls_of_one_id_are_told_apart():
    events = [event(index, "call", "x", step=index + 1, tool="bash", call_id="same") for index in range(2)]
    found = validated(Run("/r", "x", events=events))
    assert len({call.tool_call_id for step in found.steps for call in step.tool_calls}) == 2


def test_a_result_that_nobody_called_for_is_kept():
    found = validated(Run("/r", "x", events=[event(0, "result", "out of nowhere", step=1)]))
    assert found.steps[0].observation.results[0].content == "out of nowhere"


def test_hostile_texts_are_only_texts():
    assert validated(hostile()).steps[0].message == hostile().task


@given(any_run())
@settings(max_examples=60)
def test_whatever_a_reader_gives_is_valid_and_whole(run: Run):
    document = exported(run)["trajectory.json"]
    atif.Trajectory.model_validate(json.loads(document))
    told = set(_strings(json.loads(document)))
    assert all(_written(each) <= told for each in run.events if each.kind != "query")


def _written(each: Event) -> set[str]:
    return {each.text.replace("\ud800", "\ufffd")} if each.kind in {"result", "response", "note"} else set()


def _strings(value: object):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def test_a_place_within_a_document_is_no_part_of_the_format():
    assert (
        b"pointer"
        not in exported(Run("/r", "x", events=[event(0, "note", "x", ref=Ref("", None, "/a"))]))["trajectory.json"]
    )
