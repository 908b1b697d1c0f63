"""Tasks shared out among workers."""

import heapq


class Build:
    def __init__(self, graph, workers):
        self.graph = graph
        self.workers = workers
        self.plan = []

    def ready(self, started):
        return [
            task
            for task in self.graph.tasks.values()
            if task.name not in started and all(self.graph.tasks[need].done for need in task.needs)
        ]

    def run(self):
        """Longest ready task first; returns the minutes it takes."""
        now = 0
        idle = self.workers
        running = []
        started = set()
        while len(started) < len(self.graph.tasks) or running:
            waiting = sorted(self.ready(started), key=lambda task: (-task.minutes, task.name))
            for task in waiting[:idle]:
                started.add(task.name)
                idle -= 1
                self.plan.append((now, task.name))
                heapq.heappush(running, (now + task.minutes, task.name))
            if not running:
                raise RuntimeError("nothing can be started")
            now, name = heapq.heappop(running)
            self.graph.tasks[name].done = True
            idle += 1
        return now

    def reset(self):
        self.plan.clear()
        for task in self.graph.tasks.values():
            task.done = False

    def busy_share(self):
        total = sum(task.minutes for task in self.graph.tasks.values())
        end = max(start + self.graph.tasks[name].minutes for start, name in self.plan)
        return round(total / (end * self.workers), 3)

    def timeline(self):
        return " ".join(f"{start}:{name}" for start, name in self.plan)
