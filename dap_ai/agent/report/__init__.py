"""What every answer is made of, whatever the debuggee: its wording, edits as diffs, cited values."""
