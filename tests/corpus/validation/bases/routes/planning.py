"""Trips and groups of towns."""

from network import Network, hops, shortest


def parsed(text):
    network = Network()
    for line in text.strip().splitlines():
        names, _, length = line.partition(":")
        if "->" in names:
            one, other = names.split("->")
            network.add(one.strip(), other.strip(), int(length), one_way=True)
        else:
            one, other = names.split("--")
            network.add(one.strip(), other.strip(), int(length))
    return network


def trip(network, stops):
    total = 0
    towns = stops[:1]
    for here, there in zip(stops, stops[1:]):
        length, way = shortest(network, here, there)
        total += length
        towns.extend(way[1:])
    return total, towns


def islands(network):
    """Towns that can be reached from each other, as groups."""
    seen = set()
    groups = []
    for town in network.towns():
        if town in seen:
            continue
        reached = set(hops(network, town))
        groups.append(sorted(reached - seen))
        seen |= reached
    return groups


def farthest(network, start):
    away = hops(network, start)
    return max(sorted(away), key=lambda town: away[town])


def cheapest_tree(network):
    """The roads that connect everything with the least length."""
    roads = []
    for town in network.towns():
        for other, length in network.neighbours(town):
            roads.append((length, town, other))
    group = {town: town for town in network.towns()}

    def leader(town):
        while group[town] != town:
            town = group[town]
        return town

    chosen = []
    for length, one, other in sorted(roads):
        if leader(one) != leader(other):
            group[leader(one)] = leader(other)
            chosen.append((one, other, length))
    return chosen
