"""What the agent can do with a stopped program beyond reading it: each a tool of its own, for analyst and models."""
