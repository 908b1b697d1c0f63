"""One debug session: what the proxy does with each message of client, adapter, guests and children. Pure."""
