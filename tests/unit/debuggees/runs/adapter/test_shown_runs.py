"""What a client is given that shows a run as a picture: `runView`, `runEvent`."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.adapter.background_analysis import BackgroundAnalysis
from dap_ai.debuggees.runs.export.view.view_shape import RunView
from tests.unit.debuggees.runs.adapter.recorded import LAST, RUN, SEEN, Client


def view_of(body: dict[str, object]) -> RunView:
    return msgspec.convert(body["view"], RunView)


def test_a_run_is_given_with_what_analysis_sees_and_where_it_is_held():
    client = Client(seen=SEEN).open()
    body = client.body("runView")
    view = view_of(body)
    assert len(view.events) == LAST + 1 and view.total == LAST + 1
    assert body["standing"] == {"index": 0, "isHeld": False, "threadId": 1}
    assert body["isAnalysed"] is True and view.onset is not None and view.onset.step == 3
    assert not view.masked, "the run is the user's own"
    client.go(8)
    assert client.body("runView", first=LAST + 1)["standing"]["index"] == 8


def test_a_part_is_what_was_asked_for():
    view = view_of(Client(seen=SEEN).open().body("runView", first=6, count=2))
    assert (view.first, [event.index for event in view.events]) == (6, [6, 7])
    assert [step.step for step in view.steps] == [2]


def test_a_run_is_shown_before_it_is_analysed():
    analysed = BackgroundAnalysis(RUN, lambda _: (_ for _ in ()).throw(ValueError))  # pyright: ignore[reportArgumentType]  it fails
    client = Client(seen=analysed).open()
    assert view_of(client.body("runView")).total == LAST + 1
    assert client.body("runView")["view"]["patterns"] == []


def test_an_event_is_given_whole_with_its_document():
    client = Client(seen=SEEN).open()
    body = client.body("runEvent", index=7)
    assert body["event"]["text"] == "pytest -q"
    assert body["path"] == "/tmp/run/007-call-bash.json" and "007-call-bash.json" in client.written
    assert "there is no event 99" in client.refused("runEvent", index=99)


def test_looking_moves_nothing():
    client = Client(seen=SEEN).open().go(8)
    client.body("runView")
    client.body("runEvent", index=2)
    assert client.held() == 8
