"""One module per family of failures; `diagnose(draft)` says whether the stop is one of its own, and explains it."""
