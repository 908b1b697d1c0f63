"""A small report with pandas; stops where everything has been computed."""

from collections import Counter

import pandas as pd

orders = pd.DataFrame(
    {
        "customer": ["ann", "bob", "ann", "eve"],
        "city": ["Rome", "Oslo", "Rome", None],
        "total": [12.5, 99.0, None, 3.25],
        "at": pd.to_datetime(["2024-01-31", "2024-02-29", "2024-03-01", None]),
    }
)
logins = pd.DataFrame({"user": ["ann", "bob"], "password": ["-".join(["hunter2", n, "Correct"]) for n in "12"]})
by_city = orders.groupby("city")["total"].agg(["sum", "mean"])
stock = {"apples": 3, "pears": [1, 2]}
letters = Counter("abracadabra")
print(len(orders), by_city.shape, logins.shape)  # @bp
