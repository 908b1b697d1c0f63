"""Changes the code of a copy: the edited source, compiled, in the place of the functions that are loaded."""
