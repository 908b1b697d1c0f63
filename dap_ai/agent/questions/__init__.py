"""What a question asks for: expressions, lines and functions that it names, and what of it is not understood."""
