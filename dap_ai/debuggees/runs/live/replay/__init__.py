"""A recorded run again: the first answers from its recording, in a copy of its workspace, then on with the model.

In the endpoint's process, `replay_service.py` says who is asked for each query, over `replay_replies.py` (tape, edit
or model);
`request_diff.py` is pure. In the command's process, `replay_run.py` starts the agent over `workspace_copy.py` (the
workspace's copy)
and `mount_namespace.py` (that copy at the workspace's path: a program of its own). The user's workspace stays as it is.
"""
