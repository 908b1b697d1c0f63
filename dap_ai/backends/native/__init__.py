"""What lldb-dap and gdb have in common: how their debuggees are read by DAP requests, without being touched."""
