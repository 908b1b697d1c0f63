"""SAYS: `level`"""


class Menu:
    def __init__(self, parts):
        self.parts = parts

    def width(self, level):
        if level > 3 and not self.parts:
            return 0
        return sum(part.width(level) for part in self.parts)


menu = Menu([])
menu.parts.append(menu)
menu.width(0)
