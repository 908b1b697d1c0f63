"""Settings from a file of `key = value`."""


class Settings:
    """What the workers may do."""

    def __init__(self, name, limit):
        self.name = name
        self.limit = limit


def pairs(path):
    """The keys and values of a file."""
    found = {}
    for line in path.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[key.strip()] = value.strip()
    return found


def read(path):
    """The settings of a file."""
    found = pairs(path)
    limit = found.get("limit")
    return Settings(found.get("name", "pool"), int(limit) if limit else None)
