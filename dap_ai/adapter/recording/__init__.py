"""Records sessions to files as JSON events and effects without secrets, and replays them against a new `Session`.

    Pump -> commands/display/wirelog.py (a thread) -> journal.py (JSON) -> recorder.py (masks) -> file
    file -> commands/replay.py -> replaying.py -> Session, with the recorded rules and options

A replay compares the new session's effects with the recorded effects. Every recording in tests/recordings is a test.
docs/wirelog.md describes the file; docs/decisions/0009 explains why it has events and effects instead of bytes.
"""
