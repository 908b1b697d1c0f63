"""Two box offices sell seats of the same concert at the same time."""

import threading


class Concert:
    def __init__(self, seats):
        self.seats = seats
        self.sold = 0
        self.lock = threading.Lock()

    def free(self):
        with self.lock:
            return self.seats - self.sold

    def sell(self, count, confirmed):
        sold = self.sold
        confirmed.wait(timeout=10)
        with self.lock:
            self.sold = sold + count


def box_office(concert, orders, confirmed):
    for count in orders:
        concert.sell(count, confirmed)


def main():
    concert = Concert(seats=100)
    confirmed = threading.Barrier(2)
    orders = {"north": [2, 4, 1], "south": [2, 4, 1]}
    offices = [
        threading.Thread(target=box_office, args=(concert, counts, confirmed), name=name)
        for name, counts in orders.items()
    ]
    for office in offices:
        office.start()
    for office in offices:
        office.join()

    ordered = sum(sum(counts) for counts in orders.values())
    print(f"{ordered} seats ordered, {concert.free()} free")
    assert concert.sold == ordered, "every ordered seat is sold"


if __name__ == "__main__":
    main()
