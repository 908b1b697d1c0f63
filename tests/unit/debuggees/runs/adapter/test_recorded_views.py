"""What the adapter of recorded runs shows of a held event: frames, scopes, documents, the console."""

from __future__ import annotations

import json
import signal

import pytest

from dap_ai.debuggees.runs import __main__ as adapter
from dap_ai.debuggees.runs.adapter.views.run_document import line_of
from dap_ai.debuggees.runs.run_model import Agent, Event, Run
from tests.unit.debuggees.runs.adapter.recorded import LAST, REF, SEEN, Client


@pytest.fixture
def client() -> Client:
    return Client(seen=SEEN).open()


# -- threads and frames ----------------------------------------------------------------------------------------------


def test_threads_are_the_agents_that_are_at_work(client: Client):
    def names() -> list[str]:
        return [each["name"] for each in client.body("threads")["threads"]]

    assert names() == ["main (m-1)"]
    client.go(9)
    assert names() == ["main (m-1)", "helper"]
    client.go(11)
    assert names() == ["main (m-1)"]


def test_calls_that_wait_side_by_side_are_threads_while_they_do(client: Client):
    def calls() -> list[str]:
        return [each["name"] for each in client.body("threads")["threads"] if each["id"] > 1000]

    assert len([client.go(12), *calls()]) == 2
    assert calls() == ["main: 4 read: path=b.py"]
    client.go(13)
    assert calls() == ["main: 4 read: path=b.py", "main: 5 read: path=c.py"]
    client.go(15)
    assert calls() == ["main: 4 read: path=b.py"]
    client.go(16)
    assert calls() == []


def test_the_stack_of_a_sub_agent_leads_to_the_call_of_its_parent(client: Client):
    frames = client.go(9).frames()
    assert [frame["name"] for frame in frames] == [
        "3 edit_file: path=a.py", "cycle 1 of helper", "changes src/a.py", "main: 2 bash: pytest -q", "make it pass",
    ]  # fmt: skip
    assert [frame["source"]["name"] for frame in frames] == [
        "run.md", "009-call-edit_file.json", "009-change.diff", "run.md", "run.md",
    ]  # fmt: skip
    assert frames[3]["line"] == line_of(7)


def test_a_frame_has_the_scopes_of_its_own_event(client: Client):
    client.go(9)
    assert client.values("Call", 0)["tool"] == "edit_file"
    assert client.values("Call", 3)["tool"] == "bash"
    assert client.values("Run", 4)["outcome"] == "failed reward 0"


def test_a_stack_is_given_in_pages(client: Client):
    client.go(9)
    page = client.body("stackTrace", threadId=2, startFrame=1, levels=2)
    assert [frame["name"] for frame in page["stackFrames"]] == ["cycle 1 of helper", "changes src/a.py"]
    assert page["totalFrames"] == 5


def test_another_thread_stands_at_what_it_did_last(client: Client):
    client.go(9)
    assert client.body("stackTrace", threadId=1)["stackFrames"][0]["line"] == line_of(8)


# -- scopes ----------------------------------------------------------------------------------------------------------


def test_scopes_hold_the_event_its_call_and_what_analysis_sees(client: Client):
    client.go(8)
    assert list(client.scopes()) == ["Event", "Call", "Result", "Usage", "Analysis", "Messages", "Task", "Agent"]
    assert client.values("Result") == {"status": "error", "exit_code": "1", "text": "1 failed\\x1b[2J"}
    assert client.values("Analysis") == {"effect": "verify", "check": "failed", "said": "1 failed"}
    assert client.values("Usage") == {"so far: tokens": "300", "so far: cost_usd": "0.75"}


def test_a_call_does_not_know_its_result_yet(client: Client):
    assert "Result" not in client.go(7).scopes()


def test_a_change_shows_what_is_written_as_a_diff(client: Client):
    client.go(10)
    assert "-x = 1\n+x = 2" in client.values("Workspace change")["src/a.py"]
    assert client.written["010-change.diff"].startswith("--- src/a.py\n+++ src/a.py\n")


def test_a_query_differs_from_the_one_before_by_what_was_said_since(client: Client):
    scope = client.go(5).scopes()["Difference to the previous query"]
    named = {v["name"]: v["value"] for v in client.variables(scope, filter="named")}
    assert named == {"more messages": "3", "input_tokens": "+50 (100 before, 150 now)"}
    said = [(v["name"], v["value"]) for v in client.variables(scope, filter="indexed", start=0, count=9)]
    assert said == [("[1] response", "I look."), ("[2] 1 call bash", "ls"), ("[3] 1 result", "a.py")]
    assert "Difference to the previous query" not in client.go(1).scopes()


def test_messages_come_in_pages_each_made_when_it_is_asked_for():
    events = [Event(n, "note", REF, text=f"n{n}") for n in range(5_000)]
    client = Client(Run("/run", "made", events=events)).open().go(4_999)
    messages = client.scopes()["Messages"]
    assert messages["indexedVariables"] == 4_999
    page = client.variables(messages, filter="indexed", start=4_000, count=2)
    assert [v["value"] for v in page] == ["n4000", "n4001"]
    everything = client.variables(messages)
    assert len(everything) == 2_001
    assert "2,999 more" in everything[-1]["value"]


def test_a_text_of_several_lines_opens_to_its_lines(client: Client):
    text = next(v for v in client.variables(client.go(6).scopes()["Event"]) if v["name"] == "text")
    assert text["indexedVariables"] == 2
    assert [v["value"] for v in client.variables(text, filter="indexed", start=1, count=1)] == ["All of it."]


def test_every_variable_with_an_expression_has_that_value(client: Client):
    for index in range(LAST):
        client.go(index)
        for scope in client.scopes().values():
            for variable in client.variables(scope):
                if path := variable.get("evaluateName"):
                    body = client.body("evaluate", expression=path, context="watch")
                    assert body["result"] == variable["value"]


def test_a_name_of_several_lines_is_one_line_and_times_are_to_the_millisecond():
    event = Event(0, "call", REF, step=1, at_s=780.5750000476837, arguments={"a\nb": 1})
    client = Client(Run("/run", "made", agents=[Agent("main")], events=[event])).open()
    assert client.values("Event")["at_s"] == "780.575"
    args = next(v for v in client.variables(client.scopes()["Call"]) if v["name"] == "args")
    assert [v["name"] for v in client.variables(args)] == ["a b"]


def test_references_end_with_their_stop_and_are_never_another_thing(client: Client):
    reference = client.scopes()["Event"]["variablesReference"]
    client.body("stepIn", threadId=1)
    assert "they end when the run moves" in client.refused("variables", variablesReference=reference)
    assert client.scopes()["Event"]["variablesReference"] > reference


# -- documents -------------------------------------------------------------------------------------------------------


def test_documents_are_made_when_they_are_looked_at_and_told(client: Client):
    assert list(client.written) == ["run.md"]
    client.go(6).frames()
    assert [e["body"]["source"]["name"] for e in client.events if e["event"] == "loadedSource"] == ["006-response.md"]
    assert [each["name"] for each in client.body("loadedSources")["sources"]] == ["run.md", "006-response.md"]


def test_a_call_is_a_document_of_json_and_a_response_of_markdown(client: Client):
    client.go(7).frames()
    client.go(6).frames()
    assert json.loads(client.written["007-call-bash.json"]) == {"tool": "bash", "arguments": {"command": "pytest -q"}}
    assert client.written["006-response.md"].endswith("I test.\nAll of it.\n")


def test_no_document_holds_an_escape(client: Client):
    for index in range(LAST + 1):
        client.go(index).frames()
    assert "\x1b" not in "".join(client.written.values())
    assert "1 failed" in client.written["008-result.md"]


def test_a_name_of_a_document_leads_nowhere_else():
    event = Event(0, "call", REF, step=1, tool="../../etc/passwd\0\n", text="x")
    client = Client(Run("/run", "made", agents=[Agent("main")], events=[event])).open()
    assert client.frames()[1]["source"]["name"] == "000-call-______etc_passwd__.json"


def test_run_md_has_a_line_for_each_event_at_its_place(client: Client):
    lines = client.written["run.md"].split("\n")
    assert lines[line_of(7) - 1] == "  main: 2 bash: pytest -q"
    assert lines[:2] == ["# make it pass", "made, 5 steps, outcome: failed reward 0"]


# -- the console -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("tool", "edit_file"),
        ('args["path"]', "a.py"),
        ("len(args.path) > 3", "True"),
        ("writes", '["src/a.py"]'),
        ("run.steps", "5"),
        ("text", "''"),
        ("spent.tokens", "300"),
        ("search c.py", "5 call read: c.py"),
        ("checks", "2 failed: 1 failed"),
        ("patterns", "steps 2-3: The check at step 2 failed, and step 3 goes on as if it had not\nthe run: A limit was hit"),
        ("onset", "step 3, mislocalized edit: Step 3 edited the wrong file"),
        ("cost", ("main: 2 answers with usage, 300 tokens, $0.7500\nhelper: 0 answers with usage, 0 tokens, no cost\n"
                 "2 answers with usage, 300 tokens, $0.7500; recorded for the run: $0.7500")),
    ],
)  # fmt: skip
def test_the_console_reads_fields_and_takes_commands(client: Client, text: str, result: str):
    assert client.go(9).evaluated(text) == result


@pytest.mark.parametrize("text", ["show 2", "diff 1 2", "changes", "changes 1 3", "steps", "tree", "help", "analyse"])
def test_every_command_answers(client: Client, text: str):
    assert len(client.evaluated(text)) > 5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("show", "there is no step 0"),
        ("show x", "no step's number: `show N`"),
        ("show 99", "there is no step 99: the run has 5"),
        ("diff 1", "which steps? `diff A B`"),
        ("search", "`search RE`"),
        ("search (", "not a regular expression"),
        ("nonsense", "there is no `nonsense`"),
        ("1 +", "not an expression"),
    ],
)
def test_a_wrong_command_says_what_it_wants(client: Client, text: str, why: str):
    assert why in client.refused("evaluate", expression=text, context="repl")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such alarm")
def test_a_pattern_that_takes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adapter, "_COMMAND_S", 0.2)
    event = Event(0, "note", REF, text="a" * 60 + "!")
    client = Client(Run("/run", "made", agents=[Agent("main")], events=[event]), bounded=adapter.bounded).open()
    assert "has taken too long" in client.refused("evaluate", expression="search (a+)+$", context="repl")
    assert client.evaluated("search a!") != ""


def test_a_word_of_a_command_is_a_field_where_an_expression_goes_on(client: Client):
    assert client.go(9).evaluated("patterns == []") == "True"


def test_a_value_with_parts_can_be_opened_from_a_watch(client: Client):
    made = client.go(7).body("evaluate", expression="args", context="watch")
    assert [v["value"] for v in client.variables(made)] == ["pytest -q"]


def test_an_expression_is_about_the_frame_that_is_chosen(client: Client):
    frame = client.go(9).frames()[3]["id"]
    assert client.body("evaluate", expression="tool", frameId=frame, context="repl")["result"] == "bash"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("sea", ["search"]),
        ("show ", ["1", "2", "3", "4", "5"]),
        ("diff 1 4", ["4"]),
        ("args.", ["command"]),
        ("usage.in", ["input"]),
        ("tool == 'x' and exit", ["exit_code"]),
        ("nonsense.", []),
    ],
)
def test_what_is_typed_is_completed(client: Client, text: str, labels: list[str]):
    found = client.go(7).body("completions", text=text, column=len(text) + 1)["targets"]
    assert [each["label"] for each in found] == labels


def test_the_console_tells_what_the_run_has_passed_in_a_group_for_each_cycle(client: Client):
    client.go(8)
    told = [(e["body"].get("group"), e["body"]["output"].strip(), e["body"].get("line"))
            for e in client.events if e["event"] == "output"]  # fmt: skip
    assert told == [
        (None, "task: make it pass", 3),
        ("start", "cycle 1 of main", 4),
        (None, "query", 4),
        (None, "response: I look.", 5),
        (None, "1 bash: ls", 6),
        (None, "1 result ok, exit code 0: a.py", 7),
        ("end", "", None),
        ("start", "cycle 2 of main", 8),
        (None, "query", 8),
        (None, "response: I test. All of it.", 9),
        (None, "2 bash: pytest -q", 10),
        (None, "2 result error, exit code 1: 1 failed\\x1b[2J", 11),
        ("end", "", None),  # an editor would put its answers into an open group
    ]


def test_what_was_told_once_is_not_told_again(client: Client):
    client.go(8)
    said = client.said()
    client.go(3)
    client.go(8)
    assert client.said() == said
