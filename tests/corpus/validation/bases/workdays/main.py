from days import date, leap, number, parsed, shown, weekday
from planner import Planner, instalments, month_later, week_of


def check_numbers():
    assert [leap(year) for year in (1900, 2000, 2023, 2024)] == [False, True, False, True]
    assert number(1, 1, 1) == 1
    assert parsed("2024-02-29") == 738945
    assert parsed("2025-01-01") - parsed("2024-01-01") == 366
    for text in ("2000-12-31", "1999-03-01", "2024-02-29", "2023-01-01"):
        assert shown(parsed(text)) == text
    assert date(738946) == (2024, 3, 1)
    assert weekday(parsed("2024-02-29")) == "Thu"
    assert weekday(parsed("1999-12-31")) == "Fri"


def check_refusals():
    for text in ("2023-02-29", "2023-04-31", "2023-05-00"):
        try:
            parsed(text)
        except ValueError as error:
            assert text in str(error)
        else:
            raise AssertionError(f"{text} was taken")


def check_planner():
    planner = Planner(["2024-05-01", "2024-05-09"])
    assert planner.add("2024-04-26", 1) == "2024-04-29"
    assert planner.add("2024-04-30", 3) == "2024-05-06"
    assert planner.between("2024-04-29", "2024-05-13") == 8
    plan = planner.schedule("2024-04-27", [("draw", 2), ("build", 5), ("test", 1)])
    assert plan[0] == ("draw", "2024-04-29", "2024-04-30")
    assert plan[1] == ("build", "2024-05-02", "2024-05-08")
    assert plan[2] == ("test", "2024-05-10", "2024-05-10")


def check_recurring():
    assert month_later("2024-01-31") == "2024-02-29"
    assert month_later("2023-11-30", 3) == "2024-02-29"
    assert month_later("2024-12-15") == "2025-01-15"
    assert instalments("2023-10-31", 4) == ["2023-10-31", "2023-11-30", "2023-12-31", "2024-01-31"]
    assert week_of("2024-01-01") == 1
    assert week_of("2021-01-03") == 53
    assert week_of("2024-12-31") == 1
    assert week_of("2024-07-15") == 29


for check in [check_numbers, check_refusals, check_planner, check_recurring]:
    check()
print("dates are fine")
