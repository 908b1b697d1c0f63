"""Agents as they run: what they ask their model and what they change is recorded; not one line of theirs is changed."""
