"""From a command line to a target: a script, a module, a process, a held failure, a notebook's kernel."""
