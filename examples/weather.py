"""Summarises the forecasts that two weather stations have sent as JSON."""

import json

REPORTS = """
[
  {"station": "Harbour", "forecast": {"days": [
      {"date": "2031-05-01", "wind": {"speed": 14, "unit": "kn"}},
      {"date": "2031-05-02", "wind": {"speed": 9, "unit": "kn"}}]}},
  {"station": "Ridge", "forecast": {"days": [
      {"date": "2031-05-01", "wind": {"speed": 22, "unit": "kn"}},
      {"date": "2031-05-02", "wind": {"speed_max": 31, "unit": "kn"}}]}}
]
"""


def wind_speeds(report):
    """Wind speeds of one station, by date."""
    speeds = {}
    for day in report["forecast"]["days"]:
        speeds[day["date"]] = day["wind"]["speed"]
    return speeds


def strongest(reports):
    """(speed, station, date) of the strongest wind."""
    found = []
    for report in reports:
        for date, speed in wind_speeds(report).items():
            found.append((speed, report["station"], date))
    return max(found)


def main():
    speed, station, date = strongest(json.loads(REPORTS))
    print(f"strongest wind: {speed} kn at {station} on {date}")


if __name__ == "__main__":
    main()
