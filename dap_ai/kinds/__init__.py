"""The kinds of debuggee that dap_ai brings, a folder for each: what is theirs alone, by agent/case/kind.py."""
