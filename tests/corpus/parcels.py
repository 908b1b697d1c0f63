"""Follows a parcel through its states from the shop to the door."""

TRANSITIONS = {
    "ordered": {"pack": "packed", "cancel": "cancelled"},
    "packed": {"collect": "in transit", "cancel": "cancelled"},
    "in transit": {"scan": "in transit", "arrive": "at depot"},
    "at depot": {"load": "out for delivery", "lose": "lost"},
    "out for delivery": {"hand over": "delivered", "nobody home": "at the depot"},
    "delivered": {},
    "cancelled": {},
    "lost": {},
}

FINAL = {state for state, events in TRANSITIONS.items() if not events}

SCANS = [
    "pack",
    "collect",
    "scan",
    "arrive",
    "load",
    "nobody home",
    "load",
    "hand over",
]


class Parcel:
    def __init__(self, number):
        self.number = number
        self.state = "ordered"
        self.history = [self.state]

    def apply(self, event):
        self.state = next_state(self.state, event)
        self.history.append(self.state)

    @property
    def done(self):
        return self.state in FINAL


def next_state(state, event):
    allowed = TRANSITIONS[state]
    if event not in allowed:
        raise ValueError(f"{event!r} is not possible while {state}")
    return allowed[event]


def replay(parcel, scans):
    for event in scans:
        parcel.apply(event)
        print(f"{parcel.number}: {event:<12} -> {parcel.state}")


def main():
    parcel = Parcel("RX-2210")
    replay(parcel, SCANS)
    assert parcel.done


if __name__ == "__main__":
    main()
