"""Replays a recorded run: answers from its recording first, in a copy of its workspace, then answers from the model.

In the endpoint's process, `replay_service.py` decides who answers each query, using `replay_replies.py` (tape, edit or
model); `request_diff.py` is pure. In the command's process, `replay_run.py` starts the agent, using `workspace_copy.py`
(a copy of the workspace) and `mount_namespace.py` (mounts that copy at the workspace's path; a separate program). The
user's workspace is not changed.
"""
