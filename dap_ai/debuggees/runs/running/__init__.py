"""A live agent in the debugger: the session over a recording that is being written, and the agent that writes it."""
