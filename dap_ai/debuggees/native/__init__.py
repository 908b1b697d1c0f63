"""Programs in C, C++ and Rust, a kind of debuggee: all that is theirs, behind `kind.py`.

reading/ reads a stopped program by DAP requests alone; source/ parses C, C++ and Rust; analysis/ traces values and
evaluates conditions at the stop; diagnoses/ explains one family of failures each; answer/ puts the answer together;
tools/ are what a model may call besides the tools of every kind; launch/ turns a command line into a target.

No function of the program is called and nothing is written to it.
"""
