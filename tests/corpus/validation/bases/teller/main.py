from branch import Branch
from events import Simulation

ARRIVALS = [
    (0, "Ada", 6, 10),
    (1, "Bob", 9, 10),
    (2, "Cleo", 5, 10),
    (3, "Dan", 4, 5),
    (4, "Eve", 2, 10),
    (9, "Fay", 7, 3),
    (30, "Gus", 3, 10),
]


def morning(tellers):
    simulation = Simulation()
    branch = Branch(simulation, tellers)
    for time, name, work, patience in ARRIVALS:
        simulation.after(time, branch.arrive, name, work, patience)
    return simulation, branch


def order_of_equal_times():
    simulation = Simulation()
    seen = []
    for name in "cab":
        simulation.after(5, seen.append, name)
    dropped = simulation.after(4, seen.append, "x")
    simulation.cancel(dropped)
    simulation.after(1, simulation.after, 3, seen.append, "early")
    simulation.run()
    return seen


assert order_of_equal_times() == ["early", "c", "a", "b"]

simulation, branch = morning(tellers=2)
simulation.run(until=8)
assert simulation.now == 8
assert branch.left == ["Dan"]
assert branch.free == 0
assert [customer.name for customer in branch.line] == ["Eve"]
assert branch.longest_line == 3

simulation.run()
assert simulation.now == 33
assert branch.finished == [("Ada", 6), ("Bob", 10), ("Cleo", 11), ("Eve", 12), ("Fay", 18), ("Gus", 33)]
assert branch.waits["Eve"] == 6
assert branch.waits["Fay"] == 2
assert branch.average_wait() == 2.0
assert round(branch.load(2), 3) == 0.485
assert branch.free == 2

alone_simulation, alone = morning(tellers=1)
alone_simulation.run()
assert alone.left == ["Dan", "Cleo", "Fay", "Eve"], alone.left
assert alone.longest_line == 4
assert alone_simulation.cancelled == set()
