"""Which lines a backward slice holds: of small programs that have just failed."""

from __future__ import annotations

from pathlib import Path

from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from tests.unit.agent.harness import case_of, fail

SHOP = """class Room:
    def __init__(self):
        self.cost = 0
        self.queue = [3, 1]

    @property
    def total(self):
        return self.cost + 1

    def sell(self, amount):
        self.cost += amount

    def serve(self):
        first = self.queue.pop(0)
        return first
"""


def sliced(folder: Path, library: str, main: str) -> list[str]:
    """The lines in the slice of a failing program of two files, shop.py and main.py; each without its indent."""
    (folder / "shop.py").write_text(library)
    (folder / "main.py").write_text(main)
    analysis = analyse(case_of(fail(folder / "main.py")))
    assert analysis is not None
    return [step.scope.source.line(step.line).strip() for step in analysis.slice.steps]


def test_who_writes_a_failing_attribute_is_found_in_files_that_are_on_no_frame(tmp_path: Path):
    main = "import shop\nroom = shop.Room()\nroom.sell(5)\nassert room.cost == 4\n"
    assert "self.cost += amount" in sliced(tmp_path, SHOP, main)


def test_a_property_leads_to_what_it_gives(tmp_path: Path):
    main = "import shop\nroom = shop.Room()\nprint(room.serve())\nassert room.total == 4\n"
    assert "return self.cost + 1" in sliced(tmp_path, SHOP, main)


def test_a_change_in_the_midst_of_an_assignment_counts(tmp_path: Path):
    main = "import shop\nroom = shop.Room()\nroom.serve()\nassert room.queue == []\n"
    assert "first = self.queue.pop(0)" in sliced(tmp_path, SHOP, main)


def test_a_call_inside_a_comprehension_is_followed(tmp_path: Path):
    library = "def grade(points):\n    if points > 1:\n        return 'A'\n    return None\n"
    main = "import shop\nmarks = ''.join(shop.grade(p) for p in [1, 2])\n"
    assert "return None" in sliced(tmp_path, library, main)


def test_a_container_that_is_changed_by_another_name_is_followed(tmp_path: Path):
    library = "def put(found, name):\n    place = found\n    place = place.setdefault('x', {})\n    place[name] = 1\n"
    main = "import shop\n\ndef read():\n    found = {}\n    shop.put(found, 'a')\n    return found\n\nassert read() == {}\n"
    assert "place[name] = 1" in sliced(tmp_path, library, main)


def test_a_method_that_is_called_on_an_object_may_have_changed_it(tmp_path: Path):
    main = "import shop\nroom = shop.Room()\nroom.sell(5)\nassert not vars(room)\n"
    assert "self.cost += amount" in sliced(tmp_path, SHOP, main)


def test_the_test_that_let_the_failing_line_be_reached_is_in_the_slice(tmp_path: Path):
    library = "def name(kind, names):\n    if kind != 'name':\n        return names[kind]\n    return kind\n"
    main = "import shop\nshop.name('+', {})\n"
    assert "if kind != 'name':" in sliced(tmp_path, library, main)


def test_the_methods_and_properties_of_pythons_own_objects_are_none_of_the_users(tmp_path: Path):
    main = "import shop, io\nfile = io.BytesIO(b'12')\nrow = [3, 1]\ngot = file.serve if 0 else row.pop(0)\nassert got == 1\n"
    library = SHOP + "\n    def pop(self, at):\n        return self.queue[at]\n"
    assert "return self.queue[at]" not in sliced(tmp_path, library, main)
    own = "import shop\nroom = shop.Room()\ngot = room.pop(0)\nassert got == 1\n"
    assert "return self.queue[at]" in sliced(tmp_path, library, own)
