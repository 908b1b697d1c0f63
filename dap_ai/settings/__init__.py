"""The settings in force and the source of each: command line, environment, project file, user file, default.

Each setting is declared once, with type, default and help. An opened repository is not trusted: its pyproject.toml may
set only harmless keys, and an error in this file is a warning. An error in the user's own file is an error. This
package only resolves settings; other packages apply them.
"""
