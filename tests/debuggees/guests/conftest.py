"""Writes what a run of tests was, for a comparison, to the file that OBSERVED names."""

import json
import os
import signal
import sys
import threading

import pytest

OURS = "why (dap-ai)"
seen = {"reports": [], "warnings": []}


def pytest_runtest_logreport(report):
    sections = [section for section in report.sections if section[0] != OURS]
    seen["reports"].append([report.nodeid, report.when, report.outcome, sections, str(report.longrepr)])


def pytest_warning_recorded(warning_message, when, nodeid):
    seen["warnings"].append([nodeid, when, warning_message.category.__name__, str(warning_message.message)])


def children():
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            yield from file.read().split()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if hasattr(config, "workerinput"):
        return
    seen["descriptors"] = len(os.listdir("/proc/self/fd"))
    seen["children"] = len(list(children()))
    seen["threads"] = sorted(thread.name for thread in threading.enumerate())
    seen["signals"] = [str(signal.getsignal(number)) for number in (signal.SIGALRM, signal.SIGINT, signal.SIGCHLD)]
    seen["finders"] = [str(type(finder)) for finder in sys.meta_path]
    seen["environment"] = dict(os.environ)
    seen["own path"] = sys.modules["os.path"] is os.path
    with open(os.environ["OBSERVED"], "w") as file:
        json.dump(seen, file)
