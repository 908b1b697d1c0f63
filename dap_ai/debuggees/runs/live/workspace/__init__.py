"""Saves the agent's working directory as commits in dap_ai's own repository: one state per query.

The user's own repository is not touched, and git runs without the user's configuration (`git.py`). Files that the user
ignores, and link targets outside the directory, are not saved (`ignore_patterns.py`). `workspace_follower.py` commits
in a thread, so that the agent does not wait for a commit.
"""
