"""Overwrites strings of its own, by the injected module whose folder is the argument; prints what is left as JSON.

Nothing of it may run in a process that is to live on.
"""

from __future__ import annotations

import contextvars
import ctypes
import enum
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
from inject import blanking  # noqa: E402  the path first

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
    next(generator)
    ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(latin))  # it keeps the bytes beside the characters

    def later(again=fresh(plain)):
        return again, wide

    names = dict(locals())
    hidden = [{"secret": text, "shown": "*" * len(text)} for text in map(fresh, SECRETS.values())]
    found = by_token[plain]
    blanking.blank(sys._getframe(), names, hidden)
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
        "environment": os.environ["BLANKED"],
        "by its key": [found, by_token.get(plain)],
        "equal": plain == client.token,
        "words": ["harmless", "key", "token"],
    }


print(json.dumps(work(*(fresh(SECRETS[key]) if key != "name" else sys.intern(fresh(SECRETS[key])) for key in
                        ("plain", "name", "word", "latin", "wide", "astral")))))  # fmt: skip
