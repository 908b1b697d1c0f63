"""The stop that was read: frames, source, values, and the files around them."""
