"""What a person sees of it: the terminal, JSON lines, files."""
