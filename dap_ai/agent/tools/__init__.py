"""Tools that every kind of debuggee has, for calls by a model, by `askTool` or by name in a question.

A tool is a class with a `run` over a `ToolContext` (debugger, case, frame). The attributes of a tool declare its level,
its main argument and the alternative if a call is refused. The name and the arguments are a struct of
`protocol/contracts/tool_arguments.py`, from which `schemas.py` makes the schema for a model; the docs and the schemas
of the VS Code extension are generated. A tool without a level is refused at construction. Tools of one debuggee kind
are in the `tools/` folder of that kind.
"""
