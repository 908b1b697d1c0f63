"""Hears of exceptions when they are raised, and has captured what the user's frames hold, before any cleanup."""
