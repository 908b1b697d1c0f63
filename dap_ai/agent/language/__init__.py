"""Finds definitions by name with jedi-language-server, clangd or rust-analyzer, which run as child processes.

A server starts at its first question, and ends with the session or with this process. If a server fails or times out,
an answer lacks definitions but is still given. `declared.py` finds definitions with the parser if no server runs. Only
`child.py` uses pygls and lsprotocol; nothing here imports a debug session or a stop.
"""
