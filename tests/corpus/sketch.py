"""A drawing program's model: strokes, undo and redo."""


class Sketch:
    def __init__(self):
        self.strokes = []
        self._undo = []
        self._redo = []

    def _remember(self):
        self._undo.append(self.strokes)
        self._redo.clear()

    def draw(self, stroke):
        self._remember()
        self.strokes.append(stroke)

    def erase(self, stroke):
        self._remember()
        self.strokes.remove(stroke)

    def undo(self):
        if not self._undo:
            return False
        self._redo.append(list(self.strokes))
        self.strokes = self._undo.pop()
        return True

    def redo(self):
        if not self._redo:
            return False
        self._undo.append(list(self.strokes))
        self.strokes = self._redo.pop()
        return True


def house(sketch):
    for stroke in ("floor", "left wall", "right wall", "roof"):
        sketch.draw(stroke)


def expect(sketch, strokes):
    assert sketch.strokes == strokes, f"{len(strokes)} strokes are expected"


def main():
    sketch = Sketch()
    house(sketch)
    expect(sketch, ["floor", "left wall", "right wall", "roof"])
    sketch.draw("chimney")
    sketch.undo()
    expect(sketch, ["floor", "left wall", "right wall", "roof"])
    sketch.redo()
    expect(sketch, ["floor", "left wall", "right wall", "roof", "chimney"])
    print(", ".join(sketch.strokes))


if __name__ == "__main__":
    main()
