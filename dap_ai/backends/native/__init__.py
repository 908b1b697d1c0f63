"""The common part of the lldb-dap and gdb recipes: completes launch and attach, and reads a program's files.

The debuggee is read by DAP requests alone, and dap_ai computes everything else from them (docs/decisions/0011); that
reading is in `debuggees/native/reading`. This package finds adapters and formatters, reads ELF, DWARF and core files,
finds the program that left a core file, and compiles a source file.
"""
