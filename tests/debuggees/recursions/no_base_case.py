"""SAYS: in every call `tree` is `{'left': {...}}`"""


def depth(tree):
    return 1 + max(depth(child) for child in (tree["left"], tree))


leaf = {"left": None}
leaf["left"] = leaf
depth(leaf)
