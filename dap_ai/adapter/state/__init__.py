"""State of a session and the vocabulary of its events and effects: phase, threads, epoch, seqs, options. Pure.

    phase        created -> starting (launch, attach) -> running -> ended;    restart: back to starting
    thread       running -> stopped (event) -> running (resume, before it is forwarded; or `continued`)
    stop epoch   +1 on every resume, on `continued`, on running -> stopped, on start and end

1. A `stopped` while stopped only adds a thread; a resume that failed restores the stop, but not the epoch.
2. All seq spaces are ours and only grow: who asked is in `seqmap.py`, never in the number.
3. Each editor's deviations are in `client_info.py`, what an adapter can do in `forwarding_rules.py`; no other room
names an editor.
"""
