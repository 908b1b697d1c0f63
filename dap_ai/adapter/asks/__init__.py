"""Questions in a session, from acceptance to the last event, and all that the agent does through the session. Pure.

    ask        accepted -> running -> ended (completed, cancelled, notStopped, limit, failed)
    action     wanted -> done | failed;    a resume: -> [snapshots end] -> sent -> stopped | ended | still running
    approval   waiting -> allowed | denied | timeout | unseen | over (its ask or its stop has ended)

1. An ask ends once; every read, approval and action of the agent has exactly one outcome.
2. No read is of another stop: a request of an older epoch fails with `notStopped` before it reaches the wire.
3. One request of the agent is in flight at most, and only when the editor is quiet (`slots.py`).
4. The client never sees a breakpoint of the agent. Actions pass here a second wall, behind `agent/guard/policy.py`.
5. What ends a stop is forwarded only after each snapshot of it has ended, or 0.1 s have passed (`snapshot_jobs.py`).
"""
