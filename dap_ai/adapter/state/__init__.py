"""What a session knows and says: events in, effects out, whose answer is whose, settings, history. Pure."""
