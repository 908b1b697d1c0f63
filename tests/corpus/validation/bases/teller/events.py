"""Events in the order of their time."""

import heapq
from itertools import count


class Simulation:
    def __init__(self):
        self.now = 0
        self.queue = []
        self.serial = count()
        self.cancelled = set()

    def after(self, delay, action, *arguments):
        ticket = next(self.serial)
        heapq.heappush(self.queue, (self.now + delay, ticket, action, arguments))
        return ticket

    def cancel(self, ticket):
        self.cancelled.add(ticket)

    def run(self, until=None):
        while self.queue:
            time, ticket, action, arguments = self.queue[0]
            if until is not None and time > until:
                self.now = until
                return
            heapq.heappop(self.queue)
            if ticket in self.cancelled:
                self.cancelled.discard(ticket)
                continue
            self.now = time
            action(*arguments)
