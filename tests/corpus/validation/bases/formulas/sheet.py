"""Cells with formulas that use each other."""

from grammar import Parser, compute, used_names


class Circular(Exception):
    pass


class Sheet:
    def __init__(self):
        self.trees = {}
        self.values = {}

    def set(self, cell, formula):
        self.trees[cell] = Parser(formula).whole()
        self.values.clear()

    def get(self, cell, asking=()):
        if cell in asking:
            raise Circular(" -> ".join((*asking, cell)))
        if cell not in self.values:
            tree = self.trees[cell]
            names = {name: self.get(name, (*asking, cell)) for name in sorted(used_names(tree))}
            self.values[cell] = compute(tree, names)
        return self.values[cell]
