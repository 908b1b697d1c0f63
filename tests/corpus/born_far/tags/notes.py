"""Notes."""

from labels import labelled


def note(text, *labels):
    """A note with its tags."""
    made = {"text": text, "tags": labelled()}
    for label in labels:
        made["tags"] = labelled(label)
    return made
