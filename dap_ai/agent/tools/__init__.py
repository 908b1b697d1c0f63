"""Tools that every kind of debuggee has: what a model may call, and what `askTool` or a question calls by name.

A tool is a class with a `run` over a `ToolContext` (debugger, case, frame). It states all that is said of it: its
level, its
main argument, what to do where it is refused. Its name and arguments are a struct of
`protocol/contracts/tool_arguments.py`,
from which `schemas.py` makes what a model reads; the docs and the VS Code extension's schemas are generated. A tool
without a level is refused when its class is made. Tools that only one kind has are in that kind's `tools/`.
"""
