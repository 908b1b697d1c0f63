"""Output of the commands: answers in a terminal, JSON lines, files, the wire log.

Text from the program or a model is untrusted: control characters are made visible before it reaches a terminal. Nothing
here asks a question or starts a program.
"""
