from shapes import Polygon, hull
from vectors import Point, distance_to_segment

SQUARE = Polygon([Point(0, 0), Point(4, 0), Point(4, 4), Point(0, 4)])
CORNER = Polygon([Point(0, 0), Point(6, 0), Point(6, 2), Point(2, 2), Point(2, 6), Point(0, 6)])


class Checks:
    def vectors(self):
        assert Point(3, 4).length() == 5
        assert Point(1, 2).dot(Point(3, 4)) == 11
        quarter = Point(2, 1).turned(90)
        assert (round(quarter.x, 9), round(quarter.y, 9)) == (-1, 2)
        assert distance_to_segment(Point(1, 3), Point(0, 0), Point(4, 0)) == 3
        assert distance_to_segment(Point(7, 4), Point(0, 0), Point(4, 0)) == 5
        assert distance_to_segment(Point(3, 4), Point(0, 0), Point(0, 0)) == 5

    def measures(self):
        assert SQUARE.area() == 16
        assert CORNER.area() == 20
        assert CORNER.perimeter() == 24
        assert SQUARE.centroid() == Point(2, 2)
        center = CORNER.centroid()
        assert round(center.x, 2) == round(center.y, 2) == 2.2

    def places(self):
        assert SQUARE.contains(Point(1, 3))
        assert not SQUARE.contains(Point(5, 3))
        assert not CORNER.contains(Point(3, 3))
        assert CORNER.contains(Point(1, 5))
        assert CORNER.distance(Point(5, 5)) == 3
        assert SQUARE.distance(Point(1, 1)) == 0
        moved = SQUARE.moved(Point(10, -2))
        assert moved.contains(Point(11, -1))
        assert moved.box() == (Point(10, -2), Point(14, 2))
        assert SQUARE.corners[0] == Point(0, 0)

    def outlines(self):
        assert SQUARE.convex()
        assert not CORNER.convex()
        around = hull(CORNER.corners + [Point(1, 1), Point(3, 0), Point(5, 2)])
        assert around == [Point(0, 0), Point(6, 0), Point(6, 2), Point(2, 6), Point(0, 6)]
        assert Polygon(around).area() == 28
        assert Polygon(around).convex()
        assert hull([Point(1, 1), Point(0, 0), Point(1, 1)]) == [Point(0, 0), Point(1, 1)]


checks = Checks()
checks.vectors()
checks.measures()
checks.places()
checks.outlines()
