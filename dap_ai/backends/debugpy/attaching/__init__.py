"""Getting into a Python program that runs already: what is put into it, how it is queued, and how it is taken back."""
