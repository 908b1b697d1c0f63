"""What happens at an event."""

DEFAULTS = {"x": 0, "y": 1}


def scaled(name, value):
    """The value, or that of the name where none is given."""
    return value or DEFAULTS[name]


def on_event(name, value):
    """Y for a value other than 0, else N."""
    level = scaled(name, value)
    if level:
        return "Y"
    return "N"
