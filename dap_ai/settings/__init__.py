"""The settings in force and where each value came from: command line, environment, project file, user file, default.

A setting is declared once, with type, default and help. An opened repository is not trusted: its pyproject.toml sets
harmless keys only, and an error in it is a warning; an error in the user's own file is an error. Nothing here acts on a
setting.
"""
