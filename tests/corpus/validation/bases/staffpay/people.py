"""Who works here, and what they earn in a month."""


class Employee:
    raises = 0.02

    def __init__(self, name, hired):
        self.name = name
        self.hired = hired
        self.skills = []

    def learn(self, skill):
        if skill not in self.skills:
            self.skills.append(skill)
        return self

    def years(self, year):
        return year - self.hired

    def base(self, year):
        raise NotImplementedError

    def gross(self, year):
        growth = 1 + self.raises * self.years(year)
        return round(self.base(year) * growth + 25 * len(self.skills), 2)


class Salaried(Employee):
    def __init__(self, name, hired, salary):
        super().__init__(name, hired)
        self.salary = salary

    def base(self, year):
        return self.salary / 12


class Hourly(Employee):
    FULL = 160

    def __init__(self, name, hired, wage):
        super().__init__(name, hired)
        self.wage = wage
        self.hours = []

    def work(self, hours):
        self.hours.append(hours)

    def base(self, year):
        total = sum(self.hours)
        overtime = max(0, total - self.FULL)
        return (total - overtime) * self.wage + overtime * self.wage * 1.5


class Manager(Salaried):
    raises = 0.03

    def __init__(self, name, hired, salary, reports=None):
        super().__init__(name, hired, salary)
        self.reports = list(reports) if reports else []

    def gross(self, year):
        bonus = 100 * self.team_size()
        return super().gross(year) + bonus

    def team_size(self):
        size = 0
        for report in self.reports:
            size += 1
            if isinstance(report, Manager):
                size += report.team_size()
        return size
