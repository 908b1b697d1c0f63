"""From a command line to a target: a source file that is compiled, a program, a process, a core file."""
