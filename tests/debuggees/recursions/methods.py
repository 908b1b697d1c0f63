"""SAYS: `node` is one object in each of the last calls: now `<Node name='root'"""


class Node:
    def __init__(self, name):
        self.name = name
        self.parent = None


class Tree:
    def path(self, node):
        if node is None:
            return ""
        return self.path(node.parent) + "/" + node.name


root, leaf = Node("root"), Node("leaf")
leaf.parent = root
root.parent = root
Tree().path(leaf)
