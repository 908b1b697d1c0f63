"""Roads between towns."""

import heapq
from collections import deque


class Network:
    def __init__(self):
        self.roads = {}

    def add(self, one, other, length, one_way=False):
        self.roads.setdefault(one, {})[other] = length
        self.roads.setdefault(other, {})
        if not one_way:
            self.roads[other][one] = length

    def neighbours(self, town):
        return self.roads[town].items()

    def towns(self):
        return sorted(self.roads)


def hops(network, start):
    """How many roads away every town is."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        town = queue.popleft()
        for other, _ in network.neighbours(town):
            if other not in distance:
                distance[other] = distance[town] + 1
                queue.append(other)
    return distance


def shortest(network, start, goal):
    """The length of the shortest way and its towns."""
    best = {start: 0}
    previous = {}
    queue = [(0, start)]
    while queue:
        travelled, town = heapq.heappop(queue)
        if town == goal:
            return travelled, way_back(previous, goal)
        if travelled > best[town]:
            continue
        for other, length in network.neighbours(town):
            total = travelled + length
            if other not in best or total < best[other]:
                best[other] = total
                previous[other] = town
                heapq.heappush(queue, (total, other))
    return None


def way_back(previous, goal):
    way = [goal]
    while way[-1] in previous:
        way.append(previous[way[-1]])
    way.reverse()
    return way
