"""Small changes of source: what a person mistypes, undone. Candidates only: whether one is a fix, a snapshot tells."""
