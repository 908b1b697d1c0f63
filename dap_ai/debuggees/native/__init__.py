"""The kind of debuggee for programs in C, C++ and Rust, registered by `kind.py`.

reading/ reads a stopped program by DAP requests alone; source/ parses C, C++ and Rust; analysis/ traces values and
evaluates conditions at the stop; diagnoses/ has one module per family of failures; answer/ writes the answer; tools/
holds a model's tools for native programs; launch/ turns a command line into a target.

dap_ai neither calls functions of the program nor writes to it. It computes the values that an adapter cannot read
(docs/decisions/0011). Programs behind other native adapters are read in the same way, but without `hover` if the
adapter's `hover` may call functions.
"""
