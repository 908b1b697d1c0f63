"""The shortest way through a maze, by breadth-first search."""

from collections import deque

MAZE = """
S..#....
.#...##.
.####.#.
......#E
""".split()

MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def find(maze, mark):
    for row, line in enumerate(maze):
        if mark in line:
            return row, line.index(mark)
    raise ValueError(f"there is no {mark} in the maze")


def is_open(maze, row, column):
    return row < len(maze) and column < len(maze[row]) and maze[row][column] != "#"


def neighbours(maze, place):
    row, column = place
    for name, (down, right) in MOVES.items():
        if is_open(maze, row + down, column + right):
            yield name, (row + down, column + right)


def shortest_path(maze):
    start, end = find(maze, "S"), find(maze, "E")
    came_from = {start: None}
    queue = deque([start])
    while queue:
        place = queue.popleft()
        if place == end:
            break
        for _, following in neighbours(maze, place):
            if following not in came_from:
                came_from[following] = place
                queue.append(following)
    return walk_back(came_from, end)


def walk_back(came_from, end):
    path = []
    place = end
    while place is not None:
        path.append(place)
        place = came_from[place]
    return path[::-1]


def main():
    path = shortest_path(MAZE)
    print(f"{len(path) - 1} steps: {path}")
    for row, column in path:
        assert 0 <= row < len(MAZE) and 0 <= column < len(MAZE[0]), f"{(row, column)} is outside of the maze"


if __name__ == "__main__":
    main()
