"""DAP as bytes and messages, and our request `ask` in it."""
