"""A branch with tellers and customers who lose patience."""

from collections import deque
from dataclasses import dataclass


@dataclass
class Customer:
    name: str
    arrived: int
    work: int
    patience: int
    ticket: int = -1


class Branch:
    def __init__(self, simulation, tellers):
        self.simulation = simulation
        self.free = tellers
        self.line = deque()
        self.waits = {}
        self.left = []
        self.finished = []
        self.longest_line = 0
        self.busy_minutes = 0

    def arrive(self, name, work, patience=10):
        customer = Customer(name, self.simulation.now, work, patience)
        if self.free:
            self.serve(customer)
            return
        customer.ticket = self.simulation.after(patience, self.leave, customer)
        self.line.append(customer)
        self.longest_line = max(self.longest_line, len(self.line))

    def serve(self, customer):
        self.free -= 1
        self.waits[customer.name] = self.simulation.now - customer.arrived
        self.busy_minutes += customer.work
        self.simulation.after(customer.work, self.finish, customer)

    def finish(self, customer):
        self.free += 1
        self.finished.append((customer.name, self.simulation.now))
        if self.line:
            following = self.line.popleft()
            self.simulation.cancel(following.ticket)
            self.serve(following)

    def leave(self, customer):
        self.line.remove(customer)
        self.left.append(customer.name)

    def average_wait(self):
        if not self.waits:
            return 0.0
        return sum(self.waits.values()) / len(self.waits)

    def load(self, tellers):
        return self.busy_minutes / (tellers * self.simulation.now)
