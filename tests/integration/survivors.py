"""Which objects of a class, made from now on, are still in memory; and who keeps them there."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import types
import weakref
from collections import deque
from typing import Any

import pytest

from tests.patience import patient

LIMIT_S = 10.0
"""A thread that is done may take so long to end on a busy machine; what a session leaves behind stays longer."""
MOST = 50_000
"""Objects that are looked at on the way to one that lives on by itself."""
_TEXT = 200
_ROOTS = (asyncio.Handle, asyncio.AbstractEventLoop, asyncio.Task, threading.Thread, types.FrameType, types.ModuleType)


class Made:
    """The objects of `kind` that are made from now on."""

    def __init__(self, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
        self._made: list[weakref.ref[Any]] = []
        begin = kind.__init__

        def noted(made: Any, *arguments: Any, **more: Any) -> None:
            begin(made, *arguments, **more)
            self._made.append(weakref.ref(made))

        monkeypatch.setattr(kind, "__init__", noted)

    @property
    def count(self) -> int:
        """How many were made."""
        return len(self._made)

    async def keepers(self) -> str:
        """Who keeps those that are there once the loop and its threads have come to rest; empty: none is there."""
        loop = asyncio.get_running_loop()
        until = loop.time() + patient(LIMIT_S)
        while self._alive() and loop.time() < until:
            await asyncio.sleep(0.01)
        return "\n".join(map(_chain, self._alive()))

    def _alive(self) -> list[Any]:
        gc.collect()
        return [each for made in self._made if (each := made()) is not None]


def _chain(kept: Any) -> str:
    """From what is kept to the nearest thing that lives on by itself: by whom it is kept, one a line."""
    met: dict[int, Any] = {id(kept): kept}
    keeps: dict[int, Any] = {}
    waiting = deque([kept])
    own = {id(each) for each in (met, keeps, waiting, sys._getframe())}
    while waiting and len(met) < MOST:
        each = waiting.popleft()
        if isinstance(each, _ROOTS):
            return "\n  kept by ".join(_text(link) for link in _way(each, keeps))
        for keeper in gc.get_referrers(each):
            if id(keeper) not in met and id(keeper) not in own:
                met[id(keeper)] = keeper
                keeps[id(keeper)] = each
                waiting.append(keeper)
    return f"{_text(kept)}\n  kept by nothing that is known to live on by itself"


def _way(root: Any, keeps: dict[int, Any]) -> list[Any]:
    way = [root]
    while (kept := keeps.get(id(way[-1]))) is not None:
        way.append(kept)
    return way[::-1]


def _text(kept: Any) -> str:
    return f"{type(kept).__module__}.{type(kept).__qualname__}: {kept!r}"[:_TEXT]
