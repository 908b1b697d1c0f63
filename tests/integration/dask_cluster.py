"""A Dask cluster of two processes. Prints its address; at the end of stdin, how many tasks each process has done."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

from distributed import LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin


class Done(SchedulerPlugin):
    """Counts tasks by the process that has done them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish == "memory" and "worker" in kwargs:
            self.counts[kwargs["worker"]] += 1


def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        done = Done()
        cluster.scheduler.add_plugin(done)
        say(cluster.scheduler_address.removeprefix("tcp://"))
        sys.stdin.read()
        say(json.dumps(sorted(done.counts.values())))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
