"""The value path: from a value in question back to where it was born, along what one run has done."""
