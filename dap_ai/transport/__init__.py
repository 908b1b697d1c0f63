"""Byte links (stdio, TCP, Unix sockets), who is let in on them, and a headless DAP client over one."""
