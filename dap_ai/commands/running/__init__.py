"""A program or a joined session at work for a command: started, asked about, ended.

`ask`, `debug` and `mcp` share it. A `Target` of the kind says what is started; `run_controls.py` and `session_loop.py`
follow it;
`approvals.py` asks the user. Whatever was started ends with the command, also by a signal; a joined session stays.
"""
