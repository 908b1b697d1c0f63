"""Replays the program's source outside of the program, to learn which small change would let it pass.

The child process reads nothing but its standard input, may open nothing, and ends at its deadline:
1. it parses the source, refuses what is outside a subset, and counts every statement;
2. it runs it once; only if that fails at the same line with the same exception is anything concluded;
3. it runs it with one small change at a time, and reports the changes with which it ends well.
The debuggee takes no part in it.
"""
