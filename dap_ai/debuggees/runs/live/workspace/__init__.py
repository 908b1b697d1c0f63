"""The directory that an agent works in, kept as commits of a repository of ours: one state for each query.

The user's own repository is not touched, and git runs with nothing of the user's configuration (`git.py`). What the
user ignores is not kept, and nothing that a link leads to outside of the directory is (`ignore_patterns.py`).
`workspace_follower.py`
is a thread, so that the agent does not wait for a commit.
"""
