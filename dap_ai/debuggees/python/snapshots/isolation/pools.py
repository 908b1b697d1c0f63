"""Thread pools of numeric libraries: their threads do not exist in a copy, so it must not wait for them."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
from typing import Any

from ...inspector.path_texts import path_text
from .syscalls import Buffer, Step, read_file, store_step

_LIBRARY = re.compile(rb"^\S+ r\S+ .* (/\S*(?:blas|blis|mkl_rt|gomp|iomp5|libomp)[^/]*\.so[^/]*)$", re.MULTILINE)
_SETTERS = (
    "openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
    "MKL_Set_Num_Threads",
    "omp_set_num_threads",
    "bli_thread_set_num_threads",
)

_RUNNING, _THREADS = "blas_server_avail", "blas_cpu_number"
"""Of OpenBLAS: whether it has a pool, and how many threads it uses. After a `fork` it has none, and its setter would
make one: threads that end the copy which is being locked."""

_one = Buffer(4)
_one.put((1).to_bytes(4, sys.byteorder))
_found: list[tuple[Any, Any, int]] = []
"""What sets how many threads each library uses; of OpenBLAS its two numbers, the second one's address."""
_modules_then = -1


def _find() -> None:
    """Looks for the loaded libraries; again only when modules have been imported since."""
    global _modules_then
    if len(sys.modules) == _modules_then:
        return
    _modules_then = len(sys.modules)
    _found.clear()
    for path in sorted(set(_LIBRARY.findall(read_file(b"/proc/self/maps")))):
        try:
            library = ctypes.PyDLL(path_text(path), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            continue  # replaced on disk since it was loaded
        for name in _SETTERS:
            setter = getattr(library, name, None)
            if setter is not None:
                setter.restype = None
                _found.append((setter, *_numbers(library, name)))


def _numbers(library: Any, setter: str) -> tuple[Any, int]:
    if "openblas" not in setter or not all(hasattr(library, name) for name in (_RUNNING, _THREADS)):
        return None, 0
    running, threads = (ctypes.c_int.in_dll(library, name) for name in (_RUNNING, _THREADS))
    return running, ctypes.addressof(threads)


def one_thread() -> list[Step]:
    """The loaded libraries do their work in the calling thread from then on."""
    _find()
    return [_one_thread(*each) for each in _found]


def _one_thread(setter: Any, running: Any, threads: int) -> Step:
    if running is not None and not running.value:
        return store_step(threads, _one.address, _one.size)
    return "threads", functools.partial(setter, 1), None
