"""A model at work: the loop, its conversation, what the tools are to it, and the file that keeps it."""
