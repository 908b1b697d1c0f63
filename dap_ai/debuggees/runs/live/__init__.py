"""Records live agents: their model queries and the files that they change. The agents' code is not modified.

`record_agent.py` is part of the `dap-ai record` process, where the agent runs on the user's terminal. `__main__.py` and
`endpoint_process.py` are the endpoint's process, which is restarted on the same socket if it is killed.
`endpoint_messages.py` defines the messages between the two processes. The endpoint saves the workspace's initial state
before the agent starts.

wire/ is the HTTP server in the model's place; workspace/ saves states of the directory; gate/ pauses the agent; hook/
runs in the agent's Python; replay/ reruns the agent. No package here speaks DAP; `running` adds DAP on top.
"""
