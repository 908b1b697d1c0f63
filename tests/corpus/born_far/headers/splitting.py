"""Parts of lines."""


def name_of(line):
    """What stands before the colon."""
    at = line.find(":")
    return line[:at]
