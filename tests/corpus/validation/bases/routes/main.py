from network import hops, shortest
from planning import cheapest_tree, farthest, islands, parsed, trip

MAP = """
Aldor -- Brum: 7
Aldor -- Caly: 3
Caly -- Brum: 1
Brum -- Dorn: 2
Caly -- Dorn: 8
Dorn -> Esk: 4
Esk -> Aldor: 1
Fell -- Gard: 5
"""


def main():
    network = parsed(MAP)
    assert len(network.towns()) == 7
    assert dict(network.neighbours("Esk")) == {"Aldor": 1}

    length, way = shortest(network, "Aldor", "Dorn")
    assert length == 6
    assert way == ["Aldor", "Caly", "Brum", "Dorn"]
    assert shortest(network, "Aldor", "Gard") is None
    back, _ = shortest(network, "Dorn", "Aldor")
    assert back == 5

    away = hops(network, "Aldor")
    assert away == {"Aldor": 0, "Brum": 1, "Caly": 1, "Dorn": 2, "Esk": 3}
    assert farthest(network, "Aldor") == "Esk"

    total, towns = trip(network, ["Caly", "Esk", "Brum"])
    assert total == 12
    assert towns == ["Caly", "Brum", "Dorn", "Esk", "Aldor", "Caly", "Brum"]

    assert islands(network) == [["Aldor", "Brum", "Caly", "Dorn", "Esk"], ["Fell", "Gard"]]

    tree = cheapest_tree(network)
    assert sum(length for _, _, length in tree) == 12
    assert ("Brum", "Caly", 1) in tree or ("Caly", "Brum", 1) in tree
    assert len(tree) == 5
    print("planned")


main()
