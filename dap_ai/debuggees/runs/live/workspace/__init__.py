"""The directory that an agent works in, kept as commits of a repository of ours; the user's own is not touched."""
