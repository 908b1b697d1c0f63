"""What the inspector's tests share as fixtures."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def older_objects_set_aside() -> Iterator[None]:
    """What was there before is no concern of the collector's: to look at all of it takes 0.1 s each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def no_collection(older_objects_set_aside: None) -> Iterator[None]:
    """The garbage of earlier tests is gone, and the collector is off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
