"""Programs in C, C++ and Rust, a kind of debuggee: all that is theirs, behind `kind.py`.

reading/ reads a stopped program by DAP requests alone; source/ parses C, C++ and Rust; analysis/ traces values and
evaluates conditions at the stop; diagnoses/ explains one family of failures each; answer/ puts the answer together;
tools/ are what a model may call besides the tools of every kind; launch/ turns a command line into a target.

No function of the program is called and nothing is written to it: what an adapter does not read, dap_ai computes
(docs/decisions/0011). Other adapters that debug native programs are read the same way, without `hover` where theirs
may call functions.
"""
