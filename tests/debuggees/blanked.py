"""Overwrites strings of its own, by the injected module whose folder is the argument; prints what is left as JSON.

Nothing of it may run in a process that is to live on.
"""

from __future__ import annotations

import contextvars
import ctypes
import enum
import functools
import json
import os
import re
import sqlite3
import sys
import threading

sys.path.insert(0, sys.argv[1])
from python.snapshots import blanking  # noqa: E402  the path first
from python.snapshots.isolation.environment import blocks  # noqa: E402  the same

SECRETS = {
    "plain": "xK9-zq73bRt",
    "name": "swordfish77",
    "word": "correcthorse",
    "latin": "p\xe4ssw\xf6rt-9x",
    "wide": "\u043f\u0430\u0440\u043e\u043b\u044c-4711",
    "astral": "\U0001f511key-4711-zz",
    "raw": "b1n4ry-secret",
}


class Text(str):
    pass


class Slotted:
    __slots__ = ("token",)


class Kept(str, enum.Enum):
    TOKEN = "".join(list(SECRETS["plain"]))
    WIDE = "".join(list(SECRETS["wide"]))


def generated(token):
    yield token


class Settings:
    shared_token = "".join(list(SECRETS["plain"]))


CONTEXT = contextvars.ContextVar("unnamed")
LARGE = [[[number, str(number)] for number in range(300)] for _ in range(300)]


def login(user, password):
    return user, password


@functools.lru_cache(maxsize=None)
def token_for(password):
    return password + "/token"


def in_c():
    """What C code finds of the environment and the arguments."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    with open("/proc/self/environ", "rb") as environ, open("/proc/self/cmdline", "rb") as arguments:
        kept = environ.read().decode() + arguments.read().decode()
    found = [getenv(name).decode() for name in (b"BLANKED_BY_PARENT", b"BLANKED_LATER")]
    return {"getenv": found[0], "putenv": found[1], "kernel's block": kept[kept.index("BLANKED_BY_PARENT=") :]}


class Client:
    def __init__(self, token):
        self.token = token
        self.deep = [{"more": (token, [token + "/x"])}]


def fresh(text):
    """Not a constant of the code, which lives on in `SECRETS`."""
    return "".join(list(text))


def work(plain, name, word, latin, wide, astral):
    raw, buffer = SECRETS["raw"].encode(), bytearray(b"<" + SECRETS["raw"].encode() + b">")
    url = "postgres://bob:" + plain + "@db/x"
    slotted, client, kept = Slotted(), Client(plain), {"text": Text(plain), "word": word}
    slotted.token = fresh(plain)
    by_token = {plain: 1}
    os.environ["BLANKED"] = plain
    bound, generator = contextvars.ContextVar("token"), generated(fresh(plain))
    bound.set(fresh(plain))
    CONTEXT.set(fresh(plain))
    os.environ["BLANKED_LATER"] = plain
    token_for(fresh(plain))
    partial = functools.partial(login, "bob", fresh(plain))
    thread = threading.Thread(target=login, args=("bob", fresh(plain)))
    pattern = re.compile(fresh(plain))
    rows = sqlite3.connect(":memory:")
    rows.row_factory = sqlite3.Row
    row = rows.execute("SELECT ? AS password", (fresh(plain),)).fetchone()
    next(generator)
    ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(latin))  # it keeps the bytes beside the characters

    def later(again=fresh(plain)):
        return again, wide

    names = dict(locals())
    hidden = [{"secret": text, "shown": "*" * len(text)} for text in map(fresh, SECRETS.values())]
    found = by_token[plain]
    blanking.blank(sys._getframe(), names, hidden, blocks())
    return {
        "plain": names["plain"],
        "name": names["name"],
        "word": names["word"],
        "latin": names["latin"],
        "wide": names["wide"],
        "astral": names["astral"],
        "raw": names["raw"].decode(),
        "buffer": buffer.decode(),
        "url": url,
        "slotted": slotted.token,
        "attribute": client.token,
        "nested": client.deep[0]["more"][1][0],
        "subclass": kept["text"],
        "kept word": kept["word"],
        "member": "".join(Kept.TOKEN),
        "wide member": "".join(Kept.WIDE),
        "value of a member": Kept.TOKEN.value,
        "context variable": bound.get(),
        "generator": generator.gi_frame.f_locals["token"],
        "encoded": names["latin"].encode().decode(),
        "default": later()[0],
        "closure": later()[1],
        "class beside much data": Settings.shared_token,
        "context": CONTEXT.get(),
        "arguments of a partial": partial.args[1],
        "arguments of a thread": thread._args[1],
        "result in a cache": token_for(plain),
        "pattern": pattern.pattern,
        "row": row["password"],
        **in_c(),
        "environment": os.environ["BLANKED"],
        "by its key": [found, by_token.get(plain)],
        "equal": plain == client.token,
        "words": ["harmless", "key", "token"],
    }


print(json.dumps(work(*(fresh(SECRETS[key]) if key != "name" else sys.intern(fresh(SECRETS[key])) for key in
                        ("plain", "name", "word", "latin", "wide", "astral")))))  # fmt: skip
