"""Parts of an answer that every kind of debuggee shares: headings, sections, cited values, edits as diffs.

`wording.py` has the headings, and the sentences that code, terminal and tests share, each once. What an answer says
about a failure belongs to the kind.
"""
