"""The common part of the lldb-dap and gdb recipes: launch and attach completed, what a program's files say of it.

The debuggee is read by DAP requests alone, and what is computed from them, dap_ai computes (docs/decisions/0011); that
reading is `debuggees/native/reading`. Here are finding adapters and formatters, ELF and DWARF, core files and the
program that left one, and compiling one source file.
"""
