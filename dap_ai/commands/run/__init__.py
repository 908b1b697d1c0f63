"""`dap-ai run ...`: what agents did, read from what they left behind; one module for each command."""

from dap_ai.commands.run.group import command

__all__ = ["command"]
