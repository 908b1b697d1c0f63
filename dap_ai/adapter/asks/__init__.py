"""Questions: their desk, the agent's reads beside the client's, acting and consent, snapshots, the console. Pure."""
