"""The common part of the lldb-dap and gdb recipes: completes launch and attach, and reads a program's files.

dap_ai reads a native debuggee by DAP requests alone and computes the rest from their answers (docs/decisions/0011);
that code is in `debuggees/native/reading`. This package finds adapters and formatters, reads ELF, DWARF and core files,
finds the program that left a core file, and compiles a source file.
"""
