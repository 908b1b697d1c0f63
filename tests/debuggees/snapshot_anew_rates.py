"""What stands outside of functions."""

RATE = 2
TEXT = "a secret text"
