"""As blanked.py, of arrays and tables; prints what is told of them, and what is left."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd

sys.path.insert(0, sys.argv[1])
from python.snapshots import blanking
from python.inspector import secrets  # noqa: E402  the path first

SECRET = "xK9-zq73bRt"


def fresh():
    return "".join(list(SECRET))


def work():
    api_keys = np.array([fresh(), "other"])
    raw_keys = np.array([fresh().encode()])
    passwords = np.array([fresh(), 3], dtype=object)
    locked_tokens = np.array([fresh()])
    locked_tokens.setflags(write=False)
    series_tokens = pd.Series([fresh(), fresh()])
    table = pd.DataFrame({"user": ["bob"], "password": [fresh()], "age": [3]})
    table["password"]  # from here on pandas knows where its columns lie
    names = {key: value for key, value in locals().items()}
    told = [
        one for one in secrets.secrets_of([names], secrets.SearchBudget(10_000, 0.5)) if one["text"] in (SECRET, "bob")
    ]
    blanking.blank(sys._getframe(), names, [{"secret": fresh(), "shown": "*" * len(SECRET)}], [])
    return {
        "told": sorted(one["name"] for one in told),
        "left": [
            *api_keys.tolist(), *(raw.decode() for raw in raw_keys.tolist()), passwords[0], *locked_tokens.tolist(),
            *series_tokens.tolist(), table["password"][0], table["user"][0],
        ],
    }  # fmt: skip


print(json.dumps(work()))
