"""Taxes and pay slips."""

BRACKETS = [(1000, 0.0), (2000, 0.1), (3000, 0.2), (None, 0.4)]
PENSION = 0.05


def tax(income):
    """Each bracket's rate applies to the part of the income within it."""
    due = 0.0
    lower = 0
    for upper, rate in BRACKETS:
        if upper is None or income <= upper:
            due += (income - lower) * rate
            break
        due += (upper - lower) * rate
        lower = upper
    return round(due, 2)


class Payroll:
    def __init__(self, staff, year):
        self.staff = {person.name: person for person in staff}
        self.year = year
        self.advances = {}
        self.slips = []

    def advance(self, name, amount):
        self.advances[name] = self.advances.get(name, 0) + amount

    def slip(self, person):
        gross = person.gross(self.year)
        pension = round(gross * PENSION, 2)
        taxed = tax(gross - pension)
        repaid = min(self.advances.get(person.name, 0), 200)
        return {
            "name": person.name,
            "gross": gross,
            "pension": pension,
            "tax": taxed,
            "repaid": repaid,
            "net": round(gross - pension - taxed - repaid, 2),
        }

    def run(self):
        month = []
        for name in sorted(self.staff):
            slip = self.slip(self.staff[name])
            if slip["repaid"]:
                self.advances[name] -= slip["repaid"]
            month.append(slip)
        self.slips.append(month)
        return {slip["name"]: slip["net"] for slip in month}

    def yearly(self, key):
        totals = {}
        for month in self.slips:
            for slip in month:
                totals[slip["name"]] = round(totals.get(slip["name"], 0) + slip[key], 2)
        return totals
