"""Traces: what one span of any tool says, chat messages of any shape within it, and the events that spans tell."""
