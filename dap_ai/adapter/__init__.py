"""The proxy: `Session` decides (pure), `serve` moves the bytes, `client` is a headless DAP client."""
