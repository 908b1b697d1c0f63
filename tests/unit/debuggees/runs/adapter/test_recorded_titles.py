"""An event of a run in a line."""

from __future__ import annotations

from dap_ai.debuggees.runs.event_titles import title
from dap_ai.debuggees.runs.run_model import Event, Ref


def test_a_note_without_words_is_told_by_its_place():
    note = Event(index=0, kind="note", ref=Ref(pointer="/info/config"), agent="main")
    assert title(note) == "note at /info/config"
