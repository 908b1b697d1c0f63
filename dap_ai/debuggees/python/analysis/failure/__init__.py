"""What broke the failing line: the exception or assertion, its operands, and the values that prove it."""
