"""A month in the stockroom."""

from orders import Stockroom


def opened():
    room = Stockroom()
    room.article("lamp", reorder_at=5)
    room.article("chair", reorder_at=3)
    room.article("desk", reorder_at=1)
    room.receive("lamp", 10, 4.0, day=3)
    room.receive("lamp", 10, 3.0, day=1)
    room.receive("chair", 4, 20.0, day=2)
    room.receive("desk", 2, 90.0, day=2)
    return room


def sales(room):
    done = []
    done.append(room.sell("Ada", "lamp", 12, 9.0))
    done.append(room.sell("Bob", "chair", 4, 35.0))
    done.append(room.sell("Cleo", "chair", 2, 35.0))
    done.append(room.sell("Dan", "desk", 3, 150.0))
    return done


def main():
    room = opened()
    lamp = room.article("lamp")
    assert lamp.on_hand == 20
    assert lamp.value == 70.0
    assert sales(room) == [True, True, False, False]
    assert lamp.on_hand == 8
    assert room.cost == 118.0
    assert room.revenue == 248.0
    assert round(room.margin(), 3) == 0.524
    assert room.to_reorder() == ["chair"]
    assert len(room.backorders) == 2
    room.receive("chair", 5, 22.0, day=9)
    assert room.article("chair").on_hand == 3
    assert room.backorders == [("Dan", "desk", 3, 150.0)]
    assert room.cost == 162.0
    assert room.revenue == 318.0
    room.rename("desk", "table")
    assert room.backorders[0][1] == "table"
    assert room.old_value(before_day=9) == 8 * 4.0 + 2 * 90.0
    room.receive("table", 1, 96.0, day=12)
    assert room.article("table").on_hand == 0
    assert room.backorders == []
    assert room.to_reorder() == ["chair", "table"]
    print(f"margin {room.margin():.1%}")


main()
