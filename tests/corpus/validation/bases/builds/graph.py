"""Tasks that need other tasks."""


class Cycle(Exception):
    pass


class Task:
    def __init__(self, name, minutes, needs=()):
        self.name = name
        self.minutes = minutes
        self.needs = list(needs)
        self.done = False

    def __repr__(self):
        return f"<{self.name}>"


class Graph:
    def __init__(self):
        self.tasks = {}

    def add(self, name, minutes, *needs):
        self.tasks[name] = Task(name, minutes, needs)
        return self.tasks[name]

    def order(self):
        """Every task after what it needs; otherwise as they were added."""
        ordered = []
        state = {}

        def visit(name, path):
            if state.get(name) == "ready":
                return
            if state.get(name) == "open":
                raise Cycle(" ".join(path[path.index(name) :] + [name]))
            state[name] = "open"
            for need in self.tasks[name].needs:
                visit(need, path + [name])
            state[name] = "ready"
            ordered.append(name)

        for name in self.tasks:
            visit(name, [])
        return ordered

    def users(self, name):
        return [task.name for task in self.tasks.values() if name in task.needs]

    def affected(self, changed):
        """What has to be built again."""
        found = []
        waiting = list(changed)
        while waiting:
            name = waiting.pop(0)
            if name in found:
                continue
            found.append(name)
            waiting.extend(self.users(name))
        return found

    def earliest_ends(self):
        ends = {}
        for name in self.order():
            task = self.tasks[name]
            start = max((ends[need] for need in task.needs), default=0)
            ends[name] = start + task.minutes
        return ends

    def critical_path(self):
        ends = self.earliest_ends()
        name = max(ends, key=ends.get)
        path = [name]
        while self.tasks[name].needs:
            name = max(self.tasks[name].needs, key=lambda need: ends[need])
            path.append(name)
        return path[::-1]
