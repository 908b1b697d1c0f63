"""What a shell command of an agent does: parsed, never run. Which program it starts, what it reads and writes.

`commands.read_shell` is the way in. What cannot be told is left out: no file counts as written on a guess.
"""
