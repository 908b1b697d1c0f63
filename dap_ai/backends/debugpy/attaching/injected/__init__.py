"""Code that runs inside a process being attached to. It is sent as text, so it imports nothing of dap_ai."""
