"""Counts the days between two dates of the Gregorian calendar."""

MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    return year % 4 == 0 and year % 100 != 0


def days_in_month(year, month):
    if month == 2 and is_leap(year):
        return 29
    return MONTHS[month - 1]


def days_in_year(year):
    return 366 if is_leap(year) else 365


def day_of_year(year, month, day):
    return sum(days_in_month(year, m) for m in range(1, month)) + day


def days_since_1970(year, month, day):
    days = 0
    for past in range(1970, year):
        days += days_in_year(past)
    return days + day_of_year(year, month, day) - 1


def days_between(first, second):
    return days_since_1970(*second) - days_since_1970(*first)


def weekday(date):
    names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    return names[days_since_1970(*date) % 7]


KNOWN = [
    ((1970, 1, 1), "Thursday"),
    ((1986, 1, 28), "Tuesday"),
    ((1999, 12, 31), "Friday"),
    ((2004, 2, 29), "Sunday"),
    ((2012, 12, 21), "Friday"),
]


def main():
    assert days_between((1996, 1, 1), (1997, 1, 1)) == 366
    for date, name in KNOWN:
        found = weekday(date)
        assert found == name, f"{date} was a {name}, not a {found}"
    print("all known weekdays are right")


if __name__ == "__main__":
    main()
