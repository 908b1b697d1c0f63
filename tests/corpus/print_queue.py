"""A print queue: urgent jobs first, among equals the older one."""

import heapq
import itertools

JOBS = """
report.pdf  5  12
poster.png  10 1
memo.txt    2  1
slides.pdf  9  30
invoice.pdf 2  2
"""


class Job:
    def __init__(self, name, urgency, pages):
        self.name = name
        self.urgency = urgency
        self.pages = pages

    def __repr__(self):
        return f"Job({self.name})"


class PrintQueue:
    def __init__(self):
        self._heap = []
        self._arrival = itertools.count()

    def push(self, job):
        heapq.heappush(self._heap, (job.urgency, next(self._arrival), job))

    def pop(self):
        return heapq.heappop(self._heap)[-1]

    def __len__(self):
        return len(self._heap)


def read_jobs(text):
    jobs = []
    for line in text.split("\n"):
        if line.strip():
            name, urgency, pages = line.split()
            jobs.append(Job(name, urgency, int(pages)))
    return jobs


def drain(queue):
    order = []
    while len(queue):
        order.append(queue.pop())
    return order


def main():
    queue = PrintQueue()
    for job in read_jobs(JOBS):
        queue.push(job)
    order = drain(queue)
    for job in order:
        print(f"{job.urgency:>3} {job.name} ({job.pages} pages)")
    names = [job.name for job in order]
    assert names[0] == "memo.txt", "urgency 2 comes first"
    assert names[-1] == "poster.png", "urgency 10 comes last"


if __name__ == "__main__":
    main()
