"""Parts of an answer shared by every kind of debuggee: headings, sections, cited values, edits as diffs.

`wording.py` holds the headings, and the sentences that code, terminal and tests share. Each kind writes its own text
about a failure.
"""
