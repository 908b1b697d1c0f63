"""One debug session: what the proxy does with each message of client, adapter, guests and children. Pure.

`Session` is a table of commands and events over parts with one concern each (`session_parts.py`). What no table names
passes through, byte for byte.

    launch     requested -> prepared by the backend's recipe -> [another adapter initialized] -> forwarded;
               breakpoints and configurationDone that come meanwhile wait for it
    guest      connected -> [attached: it hears of stops] -> gone: its asks end, nothing else does
    child      named by the adapter -> held -> led to our listener -> a session in the family

1. Every request of the client and of each guest is answered exactly once, whatever dies.
2. Nothing of `ask` reaches the backend, and a guest never sees a request of the adapter.
3. After `Close` nothing is sent. tests/fuzz/test_session_fuzz.py fuzzes all of these.
"""
