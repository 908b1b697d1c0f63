"""Accounts and what is booked on them. Amounts are whole cents."""


class Refused(Exception):
    pass


class Account:
    def __init__(self, number, owner, limit=0):
        self.number = number
        self.owner = owner
        self.limit = limit
        self.entries = []

    @property
    def balance(self):
        return sum(amount for _, _, amount in self.entries)

    def book(self, day, text, amount):
        if amount < 0 and self.balance + amount < -self.limit:
            raise Refused(f"{self.owner} has only {self.balance}")
        self.entries.append((day, text, amount))

    def balance_at(self, day):
        return sum(amount for booked, _, amount in self.entries if booked <= day)

    def fee(self, amount):
        return 0


class Savings(Account):
    def __init__(self, number, owner, rate):
        super().__init__(number, owner)
        self.rate = rate

    def interest(self, first_day, last_day):
        """A rate in percent a year of 360 days, on each day's balance."""
        total = 0
        for day in range(first_day, last_day + 1):
            total += self.balance_at(day) * self.rate
        return total // 36000


class Business(Account):
    FREE = 2

    def __init__(self, number, owner, limit, fee):
        super().__init__(number, owner, limit)
        self.per_transfer = fee
        self.transfers = 0

    def fee(self, amount):
        self.transfers += 1
        if self.transfers <= self.FREE:
            return 0
        return max(self.per_transfer, amount // 1000)
