"""Prints a shop's categories as a tree, with the number of products below each."""

CATEGORIES = {
    "garden": ["tools", "plants"],
    "tools": ["spades", "shears"],
    "plants": ["roses", "herbs"],
    "herbs": ["basil"],
}

PRODUCTS = {"spades": 4, "shears": 7, "roses": 12, "basil": 2, "tools": 1}


class Node:
    def __init__(self, name):
        self.name = name
        self.own = PRODUCTS.get(name, 0)
        self.children = []

    def add(self, child):
        self.children.append(child)
        return child


def build(name):
    node = Node(name)
    for child in CATEGORIES.get(name, []):
        node.add(build(child))
    return node


def count(node):
    total = node.own
    for child in node.children:
        total = count(child)
    return total


def depth(node):
    return 1 + max((depth(child) for child in node.children), default=0)


def show(node, level=0):
    print(f"{'   ' * level}{node.name} ({count(node)})")
    for child in node.children:
        show(child, level + 1)


def main():
    tree = build("garden")
    print(f"{depth(tree)} levels")
    show(tree)
    assert count(tree) == sum(PRODUCTS.values()), "every product is in the garden"


if __name__ == "__main__":
    main()
