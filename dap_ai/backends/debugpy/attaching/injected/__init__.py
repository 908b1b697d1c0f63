"""What runs inside a process that is attached to: sent as text, so it imports nothing of dap_ai."""
