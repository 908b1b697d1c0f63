"""Output of commands: answers in a terminal, JSON lines, files, the wire log.

What the program or a model wrote is data: control characters are made visible before a terminal sees them. Nothing here
asks a question or starts a program.
"""
