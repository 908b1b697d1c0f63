"""Reruns a recorded agent in a copy of its workspace; answers from the recording (tape) first, then from the model.

In the endpoint's process, `replay_service.py` decides who answers each query, using `replay_replies.py` (tape, edit or
model); `request_diff.py` does no I/O. In the command's process, `replay_run.py` starts the agent, using
`workspace_copy.py` (a copy of the workspace) and `mount_namespace.py` (mounts that copy at the workspace's path; a
separate program). The user's workspace is not changed.
"""
