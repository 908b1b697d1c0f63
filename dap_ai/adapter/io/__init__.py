"""What happens outside: processes, sockets, tasks and timers around the session."""
