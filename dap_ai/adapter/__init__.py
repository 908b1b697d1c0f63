"""The proxy: `Session` decides (pure), `pump` moves the bytes, `serve` takes clients in, `client` is a headless one."""
