"""State of a session (phase, threads, epoch, seqs, options), and the types of its events and effects. Does no I/O.

    phase        created -> starting (launch, attach) -> running -> ended;    restart: back to starting
    thread       running -> stopped (event) -> running (resume, before it is forwarded; or `continued`)
    stop epoch   +1 on every resume, on `continued`, on running -> stopped, on start and end

1. A `stopped` while stopped only adds a thread; a failed resume restores the stop, but not the epoch.
2. All seqs are assigned by dap_ai and only grow: `seqmap.py` records who sent each request.
3. Each editor's deviations are in `client_info.py`, an adapter's abilities in `forwarding_rules.py`; no other package
   names an editor.
"""
