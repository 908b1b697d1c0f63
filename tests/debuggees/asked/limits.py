"""One mistake: a text that is too long is let through, too."""


def fits(text, limit):
    return len(text) > 0 and limit >= 1
