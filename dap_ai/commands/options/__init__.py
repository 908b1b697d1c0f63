"""Parsing of command-line arguments: options, the program, the listening address, the provider.

Invalid options are rejected before anything starts, with advice on what to type instead.
"""
