"""Polygons: a list of corners, counterclockwise."""

from vectors import Point, distance_to_segment, turn


def hull(points):
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(some):
        found = []
        for point in some:
            while len(found) >= 2 and turn(found[-2], found[-1], point) <= 0:
                found.pop()
            found.append(point)
        return found

    lower = chain(ordered)
    upper = chain(reversed(ordered))
    return lower[:-1] + upper[:-1]


class Polygon:
    def __init__(self, corners):
        self.corners = list(corners)

    def edges(self):
        return [(self.corners[index - 1], corner) for index, corner in enumerate(self.corners)]

    def area(self):
        return sum(start.cross(end) for start, end in self.edges()) / 2

    def perimeter(self):
        return sum((end - start).length() for start, end in self.edges())

    def centroid(self):
        total = Point(0.0, 0.0)
        for start, end in self.edges():
            total += (start + end).scaled(start.cross(end))
        return total.scaled(1 / (6 * self.area()))

    def contains(self, point):
        inside = False
        for start, end in self.edges():
            if (start.y > point.y) != (end.y > point.y):
                crossing = start.x + (point.y - start.y) / (end.y - start.y) * (end.x - start.x)
                if point.x < crossing:
                    inside = not inside
        return inside

    def distance(self, point):
        if self.contains(point):
            return 0.0
        return min(distance_to_segment(point, start, end) for start, end in self.edges())

    def convex(self):
        count = len(self.corners)
        for index in range(count):
            a, b, c = (self.corners[(index + step) % count] for step in range(3))
            if turn(a, b, c) < 0:
                return False
        return True

    def moved(self, offset):
        return Polygon(corner + offset for corner in self.corners)

    def box(self):
        xs = [corner.x for corner in self.corners]
        ys = [corner.y for corner in self.corners]
        return Point(min(xs), min(ys)), Point(max(xs), max(ys))
