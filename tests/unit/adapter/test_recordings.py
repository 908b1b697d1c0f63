"""Recorded sessions: what the proxy heard once, it answers as it did then. `tests/recordings/record.py` made them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.commands.replay import describe_replay, replayed

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.jsonl"))


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recorded_session_has_the_same_effects_again(recording: Path):
    with recording.open("rb") as file:
        replays = replayed(file, None)
    for replay in replays.values():
        assert replay.difference is None, describe_replay(replay)
        assert replay.events > 20


def test_there_are_recordings():
    assert len(RECORDINGS) >= 4
