import builtins
import io
import json
import os
import socket
import subprocess
import threading
import time

import pytest
from stats import mean


def no(*_, **__):
    raise RuntimeError("replaced by the test")


@pytest.fixture
def replaced(request, monkeypatch):
    place, name = request.param
    monkeypatch.setattr(place, name, no)


PLACES = [
    (io, "open"),
    (json, "dumps"),
    (json, "loads"),
    (time, "monotonic"),
    (time, "time"),
    (socket, "socket"),
    (socket, "socketpair"),
    (subprocess, "Popen"),
    (threading, "Thread"),
    (os, "getloadavg"),
    (builtins, "open"),
]


@pytest.mark.parametrize("replaced", PLACES, indirect=True, ids=lambda place: f"{place[0].__name__}.{place[1]}")
def test_mean(replaced):
    assert mean([1, 2, 3]) == 2
