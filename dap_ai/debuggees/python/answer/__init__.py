"""Puts the answer about a Python stop together: what the question asks for, else what is wrong there."""
