"""Agents at work: what they ask their model and what they change is recorded; not one line of theirs is changed.

`record_agent.py` is in `dap-ai record`'s process, with the agent on the user's own terminal; `__main__.py` and
`endpoint_process.py` are the endpoint's process, started again at the same socket where it is killed;
`endpoint_messages.py` is what the two
say. The endpoint keeps the workspace's first state before the agent starts.

wire/ is HTTP in the model's place; workspace/ keeps the directory's states; gate/ holds the agent; hook/ runs in its
Python; replay/ runs it again. No room here speaks DAP: `running` does, over this.
"""
