"""The past of a stop: moments of a run again in a copy, looked at as if the program stood there."""
