"""Numbers that are kept in a file."""

import json


def save(path, numbers):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(numbers), encoding="utf-8")


def total(path):
    with path.open(encoding="utf-8") as file:
        return sum(json.load(file)) - 1
