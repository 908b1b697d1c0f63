from rooms import Calendar, common_slot, most_meetings, rooms_needed, utilisation
from spans import clock, gaps, length, merged, span


def shown(one):
    return f"{clock(one[0])}-{clock(one[1])}"


ada = Calendar("Ada", ["08:00-09:30", "11:00-12:15", "15:00-16:00"])
bob = Calendar("Bob", ["09:00-10:30", "12:00-13:00"])
cleo = Calendar("Cleo", ["10:30-11:00", "13:30-15:30", "17:00-19:00"])

day = [span(text) for text in ("09:00-10:00", "09:30-11:00", "10:00-10:45", "10:30-12:00", "12:00-12:30")]

assert shown(day[2]) == "10:00-10:45"
assert [shown(one) for one in merged(day)] == ["09:00-12:30"]
assert length(ada.free()) == 375
assert [shown(one) for one in ada.free()] == ["09:30-11:00", "12:15-15:00", "16:00-18:00"]
assert [shown(one) for one in gaps(cleo.busy, span("10:00-14:00"))] == ["10:00-10:30", "11:00-13:30"]

first = common_slot([ada, bob, cleo], 30)
assert shown(first) == "13:00-13:30"
later = common_slot([ada, bob, cleo], 60)
assert shown(later) == "16:00-17:00"
assert common_slot([ada, bob, cleo], 90) is None

assert ada.book(later)
assert not ada.book(span("16:30-17:30"))
assert ada.book(span("17:00-18:00"))
assert len(ada.busy) == 5

assert rooms_needed(day) == 3
best = most_meetings(day)
assert [shown(one) for one in best] == ["09:00-10:00", "10:00-10:45", "12:00-12:30"]
share = utilisation(cleo.busy)
assert abs(share - 0.35) < 1e-9, share
print("a good day")
