"""dap_ai: a Debug Adapter Protocol proxy that answers questions about the stopped program."""

__version__ = "0.1.0"
