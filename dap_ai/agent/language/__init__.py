"""Definitions by name, from jedi-language-server or clangd, which run as child processes.

They start at the first question, and end with the session or with this process. A server that fails or is too late
costs an answer its definitions, never the answer. `declared.py` finds definitions by the parser where no server runs.
`child.py` alone knows pygls and lsprotocol; nothing here imports a debug session or a stop.
"""
