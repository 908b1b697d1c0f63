"""Questions in plain words: what they ask for, and the answer from a run of the program that was recorded."""
