"""Python programs, through debugpy."""

from dap_ai.backends.debugpy.recipe import DebugpyBackend

backend = DebugpyBackend()
"""The entry point `dap_ai.backends: debugpy`."""
