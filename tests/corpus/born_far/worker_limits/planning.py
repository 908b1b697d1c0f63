"""When jobs must be done."""


def latest(start, limit):
    """The latest end of a job."""
    return start + limit


def plan(jobs, settings):
    """Name and latest end of each job."""
    return [(name, latest(start, settings.limit)) for name, start in jobs]
