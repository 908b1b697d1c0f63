"""Work that takes only working days, and bills that recur."""

from days import date, month_length, number, parsed, shown, weekday


class Planner:
    def __init__(self, holidays=()):
        self.holidays = {parsed(text) for text in holidays}

    def works(self, day):
        return weekday(day) not in ("Sat", "Sun") and day not in self.holidays

    def add(self, start, working_days):
        day = parsed(start)
        while working_days:
            day += 1
            if self.works(day):
                working_days -= 1
        return shown(day)

    def between(self, start, end):
        """Working days from start on, before end."""
        return sum(self.works(day) for day in range(parsed(start), parsed(end)))

    def schedule(self, start, tasks):
        """Each task begins on the working day after the one before has ended."""
        plan = []
        day = parsed(start)
        for name, duration in tasks:
            while not self.works(day):
                day += 1
            end = self.add(shown(day), duration - 1)
            plan.append((name, shown(day), end))
            day = parsed(end) + 1
        return plan


def month_later(text, months=1):
    """The same day of a later month, or that month's last."""
    year, month, day = date(parsed(text))
    index = year * 12 + month - 1 + months
    year, month = index // 12, index % 12 + 1
    return shown(number(year, month, min(day, month_length(year, month))))


def instalments(first, count):
    return [month_later(first, index) for index in range(count)]


def week_of(text):
    """The number of the week; the first one has the year's first Thursday."""
    day = parsed(text)
    thursday = day - (day - 1) % 7 + 3
    year = date(thursday)[0]
    return (thursday - number(year, 1, 1)) // 7 + 1
