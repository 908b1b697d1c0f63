"""A module's state, which a run again must not find as the first run has left it."""

seen = []
