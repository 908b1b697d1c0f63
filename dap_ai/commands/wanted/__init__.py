"""What a person wants, from the command line: options, the program, where to listen, who answers."""
