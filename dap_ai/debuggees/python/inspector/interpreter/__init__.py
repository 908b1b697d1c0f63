"""Evaluates the Node language (`protocol/contracts/inspection.py`) by what is stored: no code of the program runs."""
