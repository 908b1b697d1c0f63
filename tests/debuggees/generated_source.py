"""A function made from text, as template engines and attrs do: linecache has its source."""

import linecache
import sys

SOURCE = """\
def per_item(total, count):
    rest = count - 3
    return total / rest
"""


def made(source, name):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {}
    exec(compile(source, name, "exec"), names)
    return names["per_item"]


def main():
    per_item = made(SOURCE, sys.argv[1])
    return per_item(12, 3)


main()
