"""Reads tables."""


def records(path):
    """Each row as a dict by the names of the first row."""
    lines = path.read_text().splitlines()
    names = lines[0].split()
    rows = []
    for line in lines[1:]:
        cells = [int(cell) for cell in line.split()]
        rows.append(dict(zip(names, cells)))
    return rows
