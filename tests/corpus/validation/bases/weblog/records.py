"""Lines of a web server's log, read lazily."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    second: int
    address: str
    path: str
    status: int
    size: int


def clock(text):
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)


def read(lines):
    """Records of the lines; a broken line is skipped."""
    for line in lines:
        parts = line.split()
        if len(parts) != 5:
            continue
        time, address, path, status, size = parts
        try:
            yield Record(clock(time), address, path.partition("?")[0], int(status), 0 if size == "-" else int(size))
        except ValueError:
            continue


def chunks(records, seconds):
    """Lists of records of equal stretches of time; empty stretches too."""
    current = []
    end = None
    for record in records:
        if end is None:
            end = record.second - record.second % seconds + seconds
        while record.second >= end:
            yield current
            current = []
            end += seconds
        current.append(record)
    if current:
        yield current


def sessions(records, pause=60):
    """Records of one address with no longer pause between them."""
    found = {}
    for record in records:
        of_address = found.setdefault(record.address, [])
        if of_address and record.second - of_address[-1][-1].second <= pause:
            of_address[-1].append(record)
        else:
            of_address.append([record])
    return found
