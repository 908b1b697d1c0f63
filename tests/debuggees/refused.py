"""What a copy may not read, write or ask the kernel for, and this program may."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    with open(os.path.join(HERE, path)) as file:
        return file.read()


def read_or_nothing(path):
    try:
        return read(path)
    except OSError:
        return ""


kept = open(__file__)
print(len(read("refused.py")) > 0)  # @bp
