"""Tags."""


def labelled(label="", known=[]):
    """The tags, with one more."""
    if label:
        known.append(label)
    return known
