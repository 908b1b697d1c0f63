"""A recorded run again: the first answers from its recording, in a copy of its workspace, then on with the model.

In the endpoint's process, `standing.py` says who is asked for each query, over `answering.py` (tape, edit or model);
`comparing.py` is pure. In the command's process, `running.py` starts the agent over `copying.py` (the workspace's copy)
and `mounted.py` (that copy at the workspace's path: a program of its own). The user's workspace stays as it is.
"""
