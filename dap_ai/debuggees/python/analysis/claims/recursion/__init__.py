"""A RecursionError: which function calls itself, what its calls pass on, and what should have ended them."""
