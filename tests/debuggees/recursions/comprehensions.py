"""SAYS: `name` takes the same values again and again"""

NEEDS = {"web": ["log"], "log": ["disk"], "disk": ["web"]}


def needed(name):
    return {other: needed(other) for other in NEEDS[name]}


needed("web")
