"""Limits thread pools of numeric libraries to one thread, because a copy does not have their other threads."""

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
"""OpenBLAS's variables: whether it has a thread pool, and its number of threads.

After a `fork` OpenBLAS has no pool, and its setter would create one. The new threads would end the copy while it is
being locked.
"""

_one = Buffer(4)
_one.put((1).to_bytes(4, sys.byteorder))
_found: list[tuple[Any, Any, int]] = []
"""(setter, variable, address) of each library: its setter for the number of threads, and OpenBLAS's two variables."""
_modules_then = -1


def _find() -> None:
    """Searches for the loaded libraries, if modules were imported since the last search."""
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
    """Returns steps after which the loaded libraries use only the calling thread."""
    _find()
    return [_one_thread(*each) for each in _found]


def _one_thread(setter: Any, running: Any, threads: int) -> Step:
    if running is not None and not running.value:
        return store_step(threads, _one.address, _one.size)
    return "threads", functools.partial(setter, 1), None
