"""The Debug Adapter Protocol and our own contracts: bytes, envelopes, structs, promises. Pure; msgspec only.

`wire` is what others read and write; `contracts` is what our own parts promise each other, and stands on `wire`.
Everything above may import this room, and it imports `system` at most.
"""
