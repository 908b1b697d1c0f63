"""Points of the plane."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def scaled(self, factor):
        return Point(self.x * factor, self.y * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def cross(self, other):
        return self.x * other.y - self.y * other.x

    def length(self):
        return math.hypot(self.x, self.y)

    def turned(self, degrees):
        angle = math.radians(degrees)
        cosine, sine = math.cos(angle), math.sin(angle)
        return Point(self.x * cosine - self.y * sine, self.x * sine + self.y * cosine)


def turn(a, b, c):
    """Positive where a, b, c turn left."""
    return (b - a).cross(c - a)


def distance_to_segment(point, start, end):
    along = end - start
    if along.dot(along) == 0:
        return (point - start).length()
    share = (point - start).dot(along) / along.dot(along)
    share = max(0.0, min(1.0, share))
    return (point - start - along.scaled(share)).length()
