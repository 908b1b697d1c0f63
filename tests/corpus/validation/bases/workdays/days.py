"""Dates as numbers of days, without the standard library's calendar."""

LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year, month):
    if month == 2 and leap(year):
        return 29
    return LENGTHS[month - 1]


def day_of_year(year, month, day):
    return sum(month_length(year, earlier) for earlier in range(1, month)) + day


def number(year, month, day):
    """Days since the first day of the year 1, which is number 1."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + day_of_year(year, month, day)


def date(wanted):
    year = wanted // 366 + 1
    while number(year + 1, 1, 1) <= wanted:
        year += 1
    rest = wanted - number(year, 1, 1)
    month = 1
    while rest >= month_length(year, month):
        rest -= month_length(year, month)
        month += 1
    return year, month, rest + 1


def weekday(of_day):
    return NAMES[(of_day - 1) % 7]


def parsed(text):
    year, month, day = (int(part) for part in text.split("-"))
    if not 1 <= day <= month_length(year, month):
        raise ValueError(f"no such day: {text}")
    return number(year, month, day)


def shown(of_day):
    year, month, day = date(of_day)
    return f"{year}-{month:02d}-{day:02d}"
