"""Questions in a session ("asks"), from acceptance to the last event, and all actions of the agent. Does no I/O.

    ask        accepted -> running -> ended (completed, cancelled, notStopped, limit, failed)
    action     requested -> done | failed;    a resume: -> [snapshots end] -> sent -> stopped | ended | still running
    approval   waiting -> allowed | denied | timeout | unseen | over (its ask or its stop has ended)

1. An ask ends once; every read, approval and action of the agent has exactly one outcome.
2. No read returns values of another stop: a request of an older epoch fails with `notStopped` before it is sent.
3. At most one request of the agent is in flight, and only when the editor is quiet (`slots.py`).
4. The client never sees a breakpoint of the agent. Actions are checked here again, after `agent/guard/policy.py`.
5. A request that ends a stop is forwarded once each snapshot of the stop has ended, or after 0.1 s
   (`snapshot_jobs.py`).
"""
