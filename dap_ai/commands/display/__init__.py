"""Output of the commands: answers in a terminal, JSON lines, files, the wire log.

Text from the program or a model is untrusted: control characters are made visible before they reach a terminal. Modules
here ask no questions and start no programs.
"""
