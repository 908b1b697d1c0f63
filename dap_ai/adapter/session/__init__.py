"""One debug session: decides what the proxy does with each message of client, adapter, guests and children.

`Session` maps commands and events to parts with one concern each (`session_parts.py`). A message that no table names
passes through byte for byte. This package does no I/O.

    launch     requested -> prepared by the backend's recipe -> [another adapter initialized] -> forwarded;
               breakpoints and configurationDone that arrive meanwhile wait for it
    guest      connected -> [attached: receives stops] -> disconnected: only its asks end
    child      announced by the adapter -> held -> redirected to our listener -> a session in the family

1. Every request of the client and of each guest is answered exactly once, even if backend or agent die.
2. No `ask` message reaches the backend, and a guest never sees a request of the adapter.
3. After `Close` nothing is sent. tests/fuzz/test_session_fuzz.py tests all three.
"""
