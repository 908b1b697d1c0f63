"""What the failure run again shows: its steps, what the failing value depends on, and values that stand out. Pure."""
