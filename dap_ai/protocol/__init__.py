"""The Debug Adapter Protocol on the wire: framing, envelopes, the structs we read, `ask`. Pure; msgspec only."""
