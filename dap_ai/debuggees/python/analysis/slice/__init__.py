"""Back from a value to what made it: the static slice over source, the dynamic slice over a recorded run."""
